/* Causes: leaders of findings, by the moments of their operations. */
#include "analyzer/model/cause.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/search.h"

#define LEADERS_TRIED 64 /* for one finding */

/* A finding in the order in which leaders are looked for. */
struct row {
	const struct sc_moment *moment;
	struct sc_finding *finding;
};

typedef SC_VECTOR(struct row) rows;

/* A repair of the order is known; what a kernel and the host tell each other in memory is none. */
static bool takes_part(const struct sc_finding *f)
{
	return f->moment && !f->suppression && sc_finding_lacks_order(f) &&
	       f->rule != SC_RULE_125 && f->rule != SC_RULE_216 && f->doubt != SC_DOUBT_TALK;
}

static bool is_same_launch(const struct sc_finding *f)
{
	return f->side[0].launch && f->side[0].launch == f->side[1].launch;
}

void sc_moments_note(struct sc_moments *m, struct sc_finding *f, const struct sc_interval *first,
		     const struct sc_interval *second)
{
	struct sc_moment *moment;

	if (sc_interval_is_host(first) || second->lane == SC_LANE_NONE || is_same_launch(f))
		return;
	moment = sc_vector_add(&m->list);
	*moment = (struct sc_moment){*first, *second};
	moment->first.start = NULL;
	sc_clock_get(moment->second.start);
	f->moment = (uint32_t)m->list.count;
}

static int compare(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	uint64_t entered = a->moment->second.entered, other = b->moment->second.entered;

	if (a->moment->first.lane != b->moment->first.lane)
		return a->moment->first.lane < b->moment->first.lane ? -1 : 1;
	if (entered != other)
		return entered < other ? -1 : 1;
	return a->finding->number < b->finding->number ? -1 : 1;
}

/* True if the repair covers all that the stream was given before the second operation of the
 * leader: a wait for the stream, or an event, which is then recorded after the last of it. */
static bool covers_stream(const struct sc_finding *f)
{
	switch ((enum sc_fix)f->fix) {
	case SC_FIX_SYNC_STREAM:
	case SC_FIX_SYNC_CONTEXT:
	case SC_FIX_EVENT: return 1;
	case SC_FIX_RULE:
	case SC_FIX_MOVE:
	case SC_FIX_EDGE:
	case SC_FIX_CALLBACK:
	case SC_FIX_POOL:
	case SC_FIXES: return 0;
	}
	return 0;
}

static bool covers_first(const struct row *leader, const struct row *r)
{
	return leader->moment->first.position >= r->moment->first.position ||
	       (covers_stream(leader->finding) && covers_stream(r->finding));
}

/* The second of the leader is before the second of the other, or is it. What the host does is
 * before what the same thread does later; of other threads nothing is taken for granted. */
static bool reaches_second(const struct row *leader, const struct row *r)
{
	const struct sc_interval *a = &leader->moment->second, *b = &r->moment->second;

	if (sc_interval_same(a, b))
		return 1;
	if (a->lane == SC_LANE_HOST &&
	    leader->finding->side[1].thread != r->finding->side[1].thread)
		return 0;
	return sc_interval_before(a, b);
}

static bool is_as_sure(const struct sc_finding *leader, const struct sc_finding *f)
{
	return leader->severity >= f->severity && leader->confidence >= f->confidence &&
	       leader->count >= f->count && !(f->varies & ~leader->varies);
}

/* Of the leaders of the stream, by the call of their second operation. */
static struct row *find_leader(const rows *leaders, const struct row *r)
{
	size_t i;

	SC_SEARCH(i, leaders->count,
		  leaders->items[i].moment->second.entered <= r->moment->first.entered);
	for (size_t tried = 0; i < leaders->count && tried < LEADERS_TRIED; i++, tried++) {
		struct row *leader = &leaders->items[i];

		if (is_as_sure(leader->finding, r->finding) && covers_first(leader, r) &&
		    reaches_second(leader, r))
			return leader;
	}
	return NULL;
}

static void follow(struct row *leader, const struct row *r)
{
	struct sc_finding *first = leader->finding;

	r->finding->leader = first->number;
	if (first->fix == SC_FIX_EVENT && covers_stream(r->finding) &&
	    first->fix_after < r->finding->fix_after)
		first->fix_after = r->finding->fix_after;
}

static void take_rows(rows *out, const struct sc_moments *m, struct sc_findings *all)
{
	for (size_t i = 0; i < all->list.count; i++) {
		struct sc_finding *f = &all->list.items[i];

		if (takes_part(f))
			sc_vector_push(out, ((struct row){&m->list.items[f->moment - 1], f}));
	}
	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), compare);
}

void sc_causes_find(const struct sc_moments *m, struct sc_findings *all)
{
	rows list = {0}, leaders = {0};

	take_rows(&list, m, all);
	for (size_t i = 0; i < list.count; i++) {
		const struct row *r = &list.items[i];
		struct row *leader;

		if (i && r->moment->first.lane != list.items[i - 1].moment->first.lane)
			sc_vector_clear(&leaders);
		leader = find_leader(&leaders, r);
		if (leader)
			follow(leader, r);
		else if (!sc_finding_lacks_code(r->finding))
			sc_vector_push(&leaders, *r);
	}
	sc_vector_fini(&list);
	sc_vector_fini(&leaders);
}

void sc_moments_fini(struct sc_moments *m, struct sc_clock_pool *pool)
{
	for (size_t i = 0; i < m->list.count; i++)
		sc_clock_put(pool, m->list.items[i].second.start);
	sc_vector_fini(&m->list);
}
