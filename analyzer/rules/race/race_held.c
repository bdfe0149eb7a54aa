/* Held races: when a pair is settled that an operation in flight could order. */
#include "analyzer/rules/race/race_held.h"

#include <stdbool.h>
#include "analyzer/model/make_finding.h"

#define HELD_MOST 1024
#define OF_SITES  4 /* of two call sites */

void sc_race_doubt_talk(struct sc_finding *f, const struct sc_talk_way *way)
{
	f->doubt = SC_DOUBT_TALK;
	f->confidence = SC_POSSIBLE;
	f->publisher = way->publisher;
	f->observer = way->observer;
	f->is_awaited = way->is_back;
	f->severity = SC_WARNING;
}

static bool are_of_same_sites(const struct sc_held_race *h, const struct sc_finding *f,
			      const struct sc_touch *earlier, const struct sc_touch *later)
{
	return h->f.rule == f->rule && h->ops[0].stack &&
	       h->ops[0].stack == sc_touch_op(earlier)->stack &&
	       h->ops[1].stack == sc_touch_op(later)->stack;
}

static bool has_room(const struct sc_held_races *held, const struct sc_finding *f,
		     const struct sc_touch *earlier, const struct sc_touch *later)
{
	unsigned same = 0;

	for (size_t i = 0; i < held->list.count; i++)
		same += are_of_same_sites(&held->list.items[i], f, earlier, later);
	return same < OF_SITES && held->list.count < HELD_MOST;
}

bool sc_race_hold(struct sc_held_races *held, struct sc_analysis *a, struct sc_finding *f,
		  const struct sc_touch *earlier, const struct sc_touch *later)
{
	struct sc_talk_pair p = {.x = &earlier->note->when, .y = &later->note->when};
	struct sc_held_race *h;

	if (!a->order.talks.pending || !sc_talk_is_open(&a->order.talks, &p))
		return 0;
	if (!has_room(held, f, earlier, later)) {
		sc_race_doubt_talk(f, &(struct sc_talk_way){0});
		return 0;
	}
	h = sc_vector_add(&held->list);
	*h = (struct sc_held_race){
		.f = *f, .ops = {*sc_touch_op(earlier), *sc_touch_op(later)}, .when = {*p.x, *p.y}};
	for (unsigned i = 0; i < 2; i++)
		sc_clock_get(h->when[i].start);
	return 1;
}

static void file(struct sc_analysis *a, struct sc_held_race *h)
{
	struct sc_finding *kept = sc_finding_file(a, &h->f, &h->ops[0], &h->ops[1]);

	if (kept)
		sc_moments_note(&a->moments, kept, &h->when[0], &h->when[1]);
}

/* False if it is still open; `is_end`: nothing comes any more. */
static bool settle(struct sc_analysis *a, struct sc_held_race *h, bool is_end)
{
	struct sc_talk_pair p = {.x = &h->when[0], .y = &h->when[1]};
	struct sc_talk_way way;
	bool is_open = sc_talk_is_open(&a->order.talks, &p);

	for (unsigned i = 0; i < 2; i++)
		if (!h->known[i] &&
		    sc_host_is_over(&a->order.host, h->when[i].lane, h->when[i].position))
			h->known[i] = a->order.at;
	if (!is_end && is_open)
		return 0;
	p.x_known = h->known[0];
	p.y_known = h->known[1];
	/* in a run that was cut off the observer may have waited for what did not come any more */
	if (sc_talk_may_order(&a->order.talks, &p, &way) || (is_open && !a->stats->closed))
		sc_race_doubt_talk(&h->f, &way);
	file(a, h);
	for (unsigned i = 0; i < 2; i++)
		sc_clock_put(&a->order.pool, h->when[i].start);
	return 1;
}

static void settle_all(struct sc_held_races *held, struct sc_analysis *a, bool is_end)
{
	size_t kept = 0;

	for (size_t i = 0; i < held->list.count; i++)
		if (!settle(a, &held->list.items[i], is_end))
			held->list.items[kept++] = held->list.items[i];
	held->list.count = kept;
}

void sc_race_held_step(struct sc_held_races *held, struct sc_analysis *a)
{
	struct sc_talks *t = &a->order.talks;
	const struct sc_host *h = &a->order.host;

	if (t->version == h->version && !h->is_strict)
		return;
	t->version = h->version;
	sc_talk_learn(t, h, a->order.at);
	if (held->list.count)
		settle_all(held, a, 0);
	if (!held->list.count && !a->order.callbacks.oldest)
		sc_talk_forget(t, h);
}

void sc_race_held_finish(struct sc_held_races *held, struct sc_analysis *a)
{
	settle_all(held, a, 1);
	sc_vector_fini(&held->list);
}
