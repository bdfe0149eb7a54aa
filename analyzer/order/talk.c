/* Talk: who may have observed what, and which pairs that may order. */
#include "analyzer/order/talk.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/assert.h"
#include "base/heap.h"

#define OF_LANE	   16 /* observers of a lane that are kept apart */
#define HEARD_MOST 16

/* ---- the last of each lane ---- */

static void keep_last(struct sc_clock_pool *pool, sc_talk_lanes *lanes,
		      const struct sc_interval *op)
{
	struct sc_interval kept = *op;

	for (size_t i = 0; i < lanes->count; i++) {
		struct sc_interval *x = &lanes->items[i];

		if (x->lane != op->lane)
			continue;
		if (x->position > op->position)
			return;
		sc_clock_set(pool, &x->start, op->start);
		x->position = op->position;
		x->entered = op->entered;
		return;
	}
	kept.start = sc_clock_get(op->start);
	sc_vector_push(lanes, kept);
}

static void fini_lanes(struct sc_clock_pool *pool, sc_talk_lanes *lanes)
{
	for (size_t i = 0; i < lanes->count; i++)
		sc_clock_put(pool, lanes->items[i].start);
	sc_vector_fini(lanes);
}

static void fini_observer(struct sc_clock_pool *pool, struct sc_observer *v)
{
	sc_clock_put(pool, v->when.start);
	fini_lanes(pool, &v->publishers);
}

void sc_talks_fini(struct sc_talks *all)
{
	for (size_t i = 0; i < all->observers.count; i++)
		fini_observer(all->pool, &all->observers.items[i]);
	for (size_t i = 0; i < all->heard.count; i++)
		fini_lanes(all->pool, &all->heard.items[i].publishers);
	sc_vector_fini(&all->observers);
	sc_vector_fini(&all->heard);
	fini_lanes(all->pool, &all->to_host);
	fini_lanes(all->pool, &all->wild);
	fini_lanes(all->pool, &all->called);
	fini_lanes(all->pool, &all->collectives);
	fini_lanes(all->pool, &all->open);
}

/* ---- words ---- */

void sc_talk_words_add(struct sc_talk_words *w, uint64_t first, uint64_t end, bool is_host)
{
	sc_assert(first < end && w->count <= SC_TALK_WORDS);
	w->is_host |= is_host;
	for (unsigned i = 0; i < w->count && !w->is_any; i++)
		if (w->bytes[i].first <= first && end <= w->bytes[i].end)
			return;
	if (w->count == SC_TALK_WORDS)
		w->is_any = 1;
	if (w->is_any)
		return;
	w->bytes[w->count].first = first;
	w->bytes[w->count++].end = end;
}

static void join_words(struct sc_talk_words *w, const struct sc_talk_words *other)
{
	w->is_any |= other->is_any;
	w->is_host |= other->is_host;
	for (unsigned i = 0; i < other->count; i++)
		sc_talk_words_add(w, other->bytes[i].first, other->bytes[i].end, 0);
}

/* ---- who talks ---- */

void sc_talk_publish(struct sc_talks *all, const struct sc_interval *op, unsigned reach,
		     const struct sc_talk_words *words)
{
	sc_assert(reach && op->position > 0);
	for (size_t i = 0; i < all->observers.count; i++) {
		struct sc_observer *v = &all->observers.items[i];

		if (v->known || !(v->reach & reach) || sc_interval_before(&v->when, op) ||
		    !sc_talk_overlap(&v->words, words))
			continue;
		if (words->is_any && words->is_host && !v->words.is_host)
			continue;
		keep_last(all->pool, &v->publishers, op);
		all->answers +=
			(v->reach & (SC_TALK_HOST | SC_TALK_DEVICE | SC_TALK_COLLECTIVE)) != 0;
		v->is_flag |= !(reach & SC_TALK_PLAIN);
	}
}

/* True if the host may write what the observer waits for. */
static bool awaits_host(const struct sc_observer *v)
{
	return !v->known && v->reach & SC_TALK_HOST && v->words.is_host;
}

static void note_last(struct sc_talks *all, const struct sc_interval *op)
{
	all->last.lane = op->lane;
	all->last.position = op->position;
}

void sc_talk_keep(struct sc_talks *all, sc_talk_lanes *list, const struct sc_interval *op)
{
	sc_assert(op->position > 0);
	keep_last(all->pool, list, op);
	note_last(all, op);
}

void sc_talk_note_open(struct sc_talks *all, const struct sc_interval *op)
{
	keep_last(all->pool, &all->open, op);
}

/* The observer that one more of its lane makes bigger; NULL: there is room for one of its own. */
static struct sc_observer *find_full(struct sc_talks *all, const struct sc_interval *op, bool waits)
{
	struct sc_observer *v = NULL;
	unsigned count = 0;

	for (size_t i = 0; i < all->observers.count; i++)
		if (all->observers.items[i].when.lane == op->lane &&
		    all->observers.items[i].waits == waits) {
			v = &all->observers.items[i];
			count++;
		}
	if (v && v->when.position == op->position) /* the same once more */
		return v;
	return count < OF_LANE ? NULL : v;
}

static void add_publishers(struct sc_talks *all, struct sc_observer *v, const sc_talk_lanes *from)
{
	for (size_t i = 0; i < from->count; i++)
		sc_talk_add_publisher(all, v, &from->items[i]);
}

struct sc_observer *sc_talk_observe(struct sc_talks *all, const struct sc_interval *op,
				    unsigned reach, const struct sc_talk_words *words)
{
	bool waits = !(reach & SC_TALK_PASSES_ON);
	struct sc_observer *v = find_full(all, op, waits);

	sc_assert(reach && op->position > 0);
	note_last(all, op);
	if (!v) {
		v = sc_vector_add(&all->observers);
		*v = (struct sc_observer){
			.when = *op, .first = op->position, .known = 1, .waits = waits};
		v->when.start = sc_clock_get(op->start);
	}
	all->await_host -= awaits_host(v);
	all->pending += v->known != 0;
	v->known = 0;
	if (v->when.position <= op->position) {
		sc_clock_set(all->pool, &v->when.start, op->start);
		v->when.position = op->position;
		v->when.entered = op->entered;
	}
	if (v->first > op->position)
		v->first = op->position;
	v->reach |= reach;
	v->is_open |= words->is_any && reach != SC_TALK_COLLECTIVE;
	v->is_flag |= all->wild.count != 0;
	join_words(&v->words, words);
	all->await_host += awaits_host(v);
	if (reach & SC_TALK_COLLECTIVE)
		add_publishers(all, v, &all->collectives);
	if (reach & (SC_TALK_DEVICE | SC_TALK_COPY | SC_TALK_COPY_OF_MANY))
		add_publishers(all, v, &all->wild);
	if (reach & SC_TALK_HOST && words->is_host)
		add_publishers(all, v, &all->called);
	sc_assert(v->first <= v->when.position);
	return v;
}

void sc_talk_add_publisher(struct sc_talks *all, struct sc_observer *v,
			   const struct sc_interval *op)
{
	sc_assert(v >= all->observers.items && v < all->observers.items + all->observers.count);
	if (!sc_interval_before(&v->when, op))
		keep_last(all->pool, &v->publishers, op);
}

/* True if all of these are among the others, or come before them. */
static bool are_in(const sc_talk_lanes *some, const sc_talk_lanes *others)
{
	for (size_t i = 0; i < some->count; i++) {
		const struct sc_interval *x = &some->items[i];
		bool is_in = 0;

		for (size_t k = 0; k < others->count && !is_in; k++)
			is_in = others->items[k].lane == x->lane &&
				others->items[k].position >= x->position;
		if (!is_in)
			return 0;
	}
	return 1;
}

struct sc_heard *sc_talk_hear(struct sc_talks *all, uint64_t at)
{
	struct sc_heard *h = all->heard.count ? sc_vector_last(&all->heard) : NULL;

	sc_assert(at > 0);
	if (!h || (all->heard.count < HEARD_MOST && !are_in(&all->to_host, &h->publishers))) {
		h = sc_vector_add(&all->heard);
		*h = (struct sc_heard){.at = at};
	}
	for (size_t i = 0; i < all->to_host.count; i++)
		keep_last(all->pool, &h->publishers, &all->to_host.items[i]);
	h->last = at;
	return h;
}

void sc_talk_hear_of(struct sc_talks *all, struct sc_heard *h, const struct sc_interval *op)
{
	sc_assert(h >= all->heard.items && h < all->heard.items + all->heard.count);
	keep_last(all->pool, &h->publishers, op);
}

/* ---- what the host knows ---- */

static bool is_known(const struct sc_host *host, const struct sc_interval *x)
{
	return sc_host_is_over(host, x->lane, x->position);
}

static bool are_known(const struct sc_host *host, const sc_talk_lanes *lanes)
{
	for (size_t i = 0; i < lanes->count; i++)
		if (!is_known(host, &lanes->items[i]))
			return 0;
	return 1;
}

/* All that the host knows comes before whatever is enqueued from now on. */
static void drop_known(struct sc_clock_pool *pool, const struct sc_host *host, sc_talk_lanes *lanes)
{
	size_t kept = 0;

	for (size_t i = 0; i < lanes->count; i++)
		if (is_known(host, &lanes->items[i]))
			sc_clock_put(pool, lanes->items[i].start);
		else
			lanes->items[kept++] = lanes->items[i];
	lanes->count = kept;
}

void sc_talk_forget(struct sc_talks *all, const struct sc_host *host)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->observers.count; i++) {
		struct sc_observer *v = &all->observers.items[i];

		if (v->known && are_known(host, &v->publishers))
			fini_observer(all->pool, v);
		else
			all->observers.items[kept++] = *v;
	}
	all->observers.count = kept;
	kept = 0;
	for (size_t i = 0; i < all->heard.count; i++) {
		struct sc_heard *h = &all->heard.items[i];

		if (are_known(host, &h->publishers))
			fini_lanes(all->pool, &h->publishers);
		else
			all->heard.items[kept++] = *h;
	}
	all->heard.count = kept;
	drop_known(all->pool, host, &all->to_host);
	drop_known(all->pool, host, &all->wild);
	drop_known(all->pool, host, &all->called);
	drop_known(all->pool, host, &all->collectives);
	drop_known(all->pool, host, &all->open);
}

void sc_talk_learn(struct sc_talks *all, const struct sc_host *host, uint64_t at)
{
	sc_assert(at > 0);
	for (size_t i = 0; i < all->observers.count; i++) {
		struct sc_observer *v = &all->observers.items[i];

		if (v->known || !is_known(host, &v->when))
			continue;
		all->await_host -= awaits_host(v);
		v->known = at;
		sc_assert(all->pending > 0);
		all->pending--;
	}
}

/* ---- which pairs they may order ---- */

static bool is_at_or_before(const struct sc_interval *x, const struct sc_interval *y)
{
	return sc_interval_same(x, y) || sc_interval_before(x, y);
}

/* The last of these that is the op, or comes after it; NULL: there is none. */
static const struct sc_interval *find_after(const sc_talk_lanes *lanes, const struct sc_interval *x)
{
	for (size_t i = 0; i < lanes->count; i++)
		if (is_at_or_before(x, &lanes->items[i]))
			return &lanes->items[i];
	return NULL;
}

/* One of these that was enqueued after a moment of the host; NULL: there is none. */
static const struct sc_interval *find_since(const sc_talk_lanes *lanes, uint64_t at)
{
	for (size_t i = 0; i < lanes->count; i++)
		if (lanes->items[i].entered > at)
			return &lanes->items[i];
	return NULL;
}

/* The moment from which on the observer knows what the first of it did. */
static struct sc_interval first_of(const struct sc_observer *v)
{
	struct sc_interval first = v->when;

	first.position = v->first;
	return first;
}

/* The last of these that comes after what the observer saw, or is the copy that passes it on. */
static const struct sc_interval *find_after_observer(const sc_talk_lanes *lanes,
						     const struct sc_observer *v)
{
	struct sc_interval first = first_of(v);

	if (v->waits)
		return find_after(lanes, &first);
	for (size_t i = 0; i < lanes->count; i++)
		if (lanes->items[i].lane == first.lane &&
		    lanes->items[i].position >= first.position)
			return &lanes->items[i];
	return NULL;
}

/* The interval comes after the observation, or is its own. */
static bool is_behind(const struct sc_observer *v, const struct sc_interval *x)
{
	struct sc_interval first = first_of(v);

	return is_at_or_before(&first, x);
}

/* How far what comes before `x` may have got: bits of observers and of what the host heard. */
struct search {
	const struct sc_talks *all;
	const struct sc_talk_pair *p;
	uint8_t *reached; /* of each observer, then of each thing heard */
	uint64_t *by;	  /* the publisher of each, or 0 */
	size_t *list;	  /* the observers that were reached */
	size_t count;
};

/* The publisher among these that comes after the op, or after an observer that was reached, or that
 * the host enqueued once it had heard. */
static const struct sc_interval *reach_any(const struct search *s, const sc_talk_lanes *lanes)
{
	const struct sc_interval *found = s->p->x_is_host ? NULL : find_after(lanes, s->p->x);

	for (size_t i = 0; i < s->count && !found; i++)
		found = find_after_observer(lanes, &s->all->observers.items[s->list[i]]);
	for (size_t i = 0; i < s->all->heard.count && !found; i++)
		if (s->reached[s->all->observers.count + i])
			found = find_since(lanes, s->all->heard.items[i].at);
	return found;
}

/* The operation was enqueued before an observer of which nothing is known but that it observes. */
static const struct sc_interval *reach_open(const struct search *s, const struct sc_observer *v)
{
	const struct sc_interval *x = s->p->x;

	if (!v->is_open || s->p->x_is_host || x->entered >= v->when.entered || is_behind(v, x))
		return NULL;
	return x;
}

/* The host knew something at a moment when the observer had not ended for it. */
static bool may_tell(uint64_t moment, const struct sc_observer *v)
{
	return moment && (!v->known || v->known > moment);
}

/* The host may write what the observer waits for, when it knows the first side: by its end, by that
 * of an observer, or by what it read. */
static bool is_told(const struct search *s, const struct sc_observer *v)
{
	const struct sc_talks *all = s->all;

	if (!(v->reach & SC_TALK_HOST) || !v->words.is_host)
		return 0;
	if ((s->p->x_is_host && !sc_interval_before(&v->when, s->p->x)) ||
	    may_tell(s->p->x_known, v))
		return 1;
	for (size_t i = 0; i < s->count; i++)
		if (all->observers.items[s->list[i]].waits &&
		    may_tell(all->observers.items[s->list[i]].known, v))
			return 1;
	for (size_t i = 0; i < all->heard.count; i++)
		if (s->reached[all->observers.count + i] && may_tell(all->heard.items[i].at, v))
			return 1;
	return 0;
}

/* One round; false if nothing new was reached. */
static bool advance(struct search *s)
{
	const struct sc_talks *all = s->all;
	size_t observers = all->observers.count;
	bool is_new = 0;

	for (size_t i = 0; i < observers; i++) {
		const struct sc_observer *v = &all->observers.items[i];
		const struct sc_interval *by;

		if (s->reached[i] || sc_interval_before(&v->when, s->p->x))
			continue;
		by = reach_any(s, &v->publishers);
		by = by ? by : reach_open(s, v);
		if (!by && !is_told(s, v))
			continue;
		s->reached[i] = is_new = 1;
		s->by[i] = by ? by->position : 0;
		s->list[s->count++] = i;
	}
	for (size_t i = 0; i < all->heard.count; i++) {
		const struct sc_interval *by;

		if (s->reached[observers + i] || s->p->x->entered > all->heard.items[i].last)
			continue;
		by = reach_any(s, &all->heard.items[i].publishers);
		if (!by)
			continue;
		s->reached[observers + i] = is_new = 1;
		s->by[observers + i] = by->position;
	}
	return is_new;
}

/* The interval comes after what the observer saw. After a copy to the device does nothing for which
 * no kernel looked at the word there; but that it read a flag while another wrote it is no race. */
static bool is_ordered(const struct sc_observer *v, const struct sc_interval *x)
{
	return is_behind(v, x) && (v->waits || (v->is_flag && x->lane == v->when.lane &&
						x->position <= v->when.position));
}

/* The second side comes after something that was reached. */
static bool is_at_second(struct search *s, struct sc_talk_way *way)
{
	const struct sc_talks *all = s->all;
	const struct sc_interval *y = s->p->y, *by;

	for (size_t i = 0; i < all->observers.count; i++)
		if (s->reached[i] && is_ordered(&all->observers.items[i], y)) {
			*way = (struct sc_talk_way){.publisher = s->by[i],
						    .observer =
							    all->observers.items[i].when.position};
			return 1;
		}
	for (size_t i = 0; i < all->heard.count; i++)
		if (s->reached[all->observers.count + i] && y->entered > all->heard.items[i].at) {
			*way = (struct sc_talk_way){.publisher = s->by[all->observers.count + i]};
			return 1;
		}
	by = s->p->y_is_host ? reach_any(s, &all->to_host) : NULL;
	if (by)
		*way = (struct sc_talk_way){.publisher = by->position};
	return by != NULL;
}

static bool leads(const struct sc_talks *all, const struct sc_talk_pair *p, struct sc_talk_way *way)
{
	size_t count = all->observers.count + all->heard.count + 1;
	struct search s = {.all = all, .p = p};
	bool is_led;

	s.reached = sc_heap_xcalloc(count, sizeof(*s.reached));
	s.by = sc_heap_xcalloc(count, sizeof(*s.by));
	s.list = sc_heap_xcalloc(count, sizeof(*s.list));
	while (advance(&s))
		;
	is_led = is_at_second(&s, way);
	free(s.reached);
	free(s.by);
	free(s.list);
	return is_led;
}

static struct sc_talk_pair turned(const struct sc_talk_pair *p)
{
	return (struct sc_talk_pair){.x = p->y,
				     .y = p->x,
				     .x_is_host = p->y_is_host,
				     .y_is_host = p->x_is_host,
				     .x_known = p->y_known,
				     .y_known = p->x_known};
}

bool sc_talk_may_order(const struct sc_talks *all, const struct sc_talk_pair *p,
		       struct sc_talk_way *way)
{
	struct sc_talk_pair back = turned(p);

	*way = (struct sc_talk_way){0};
	if ((!all->observers.count && !all->heard.count && !all->to_host.count) ||
	    (p->x_is_host && p->y_is_host))
		return 0;
	if (leads(all, p, way))
		return 1;
	if (!leads(all, &back, way))
		return 0;
	way->is_back = 1;
	return 1;
}

bool sc_talk_is_open(const struct sc_talks *all, const struct sc_talk_pair *p)
{
	for (size_t i = 0; i < all->observers.count; i++) {
		const struct sc_observer *v = &all->observers.items[i];

		if (!v->known && is_ordered(v, p->x) != is_ordered(v, p->y))
			return 1;
	}
	return 0;
}

bool sc_talk_may_end(const struct sc_talks *all, const struct sc_interval *x)
{
	for (size_t i = 0; i < all->to_host.count; i++)
		if (sc_interval_before(x, &all->to_host.items[i]))
			return 1;
	return 0;
}
