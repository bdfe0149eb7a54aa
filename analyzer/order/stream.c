/* Streams and contexts: tails, lanes, legacy barriers. */
#include "analyzer/order/stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "trace/op.h"
#include "base/assert.h"

#define DEAD_MIN 16

static void take_out(struct sc_stream *s)
{
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
}

static void put_first(struct sc_stream **list, struct sc_stream *s)
{
	s->next = *list;
	s->link = list;
	if (s->next)
		s->next->link = &s->next;
	*list = s;
}

/* Merges two lists that are sorted by their last ops, the newest first. */
static struct sc_stream *merge(struct sc_stream *x, struct sc_stream *y)
{
	struct sc_stream *list, **end = &list;

	while (x && y) {
		struct sc_stream **newer = x->pushed > y->pushed ? &x : &y;

		*end = *newer;
		end = &(*end)->next_new;
		*newer = *end;
	}
	*end = x ? x : y;
	return list;
}

/* Sorts the list, the newest first: a merge of lists of 1, 2, 4, … */
static struct sc_stream *sort(struct sc_stream *list)
{
	struct sc_stream *sorted[32] = {NULL}, *all = NULL;

	sc_assert(list);
	if (!list->next_new)
		return list;
	while (list) {
		struct sc_stream *one = list;
		unsigned i = 0;

		list = list->next_new;
		one->next_new = NULL;
		for (; sorted[i]; sorted[i++] = NULL)
			one = merge(one, sorted[i]);
		sorted[i] = one;
	}
	for (unsigned i = 0; i < 32; i++)
		all = merge(all, sorted[i]);
	return all;
}

static void put_in_order(struct sc_context *c)
{
	struct sc_stream **place = &c->used, *news = c->news;

	c->news = NULL;
	if (news == c->used && !news->next_new) { /* mostly: it was the last one before, too */
		news->is_new = 0;
		return;
	}
	news = sort(news);
	for (struct sc_stream *s = news; s; s = s->next_new) {
		s->is_new = 0;
		take_out(s);
		put_first(place, s);
		place = &s->next;
	}
}

struct sc_stream *sc_context_streams(struct sc_context *context)
{
	if (context->news)
		put_in_order(context);
	return context->used;
}

static void forget(struct sc_streams *all, struct sc_stream *s)
{
	take_out(s);
	sc_point_put(all->pool, &s->tail);
	sc_clock_put(all->pool, s->last_kernel.start);
	sc_vector_fini(&s->beside);
	sc_wait_log_fini(all->pool, &s->waits);
	sc_slab_give(&all->slab, s);
}

static void drop_order(struct sc_clock_pool *pool, struct sc_context_order *order)
{
	sc_point_put(pool, &order->recorded);
	sc_clock_put(pool, order->awaited);
}

static void drop_greens(struct sc_streams *all)
{
	struct sc_green *g;

	while ((g = all->greens)) {
		all->greens = g->next;
		drop_order(all->pool, &g->order);
		free(g);
	}
	sc_u64_map_fini(&all->greens_by_id);
}

void sc_streams_fini(struct sc_streams *all)
{
	struct sc_context *c;

	while ((c = all->contexts)) {
		while (c->used)
			forget(all, c->used);
		while (c->idle)
			forget(all, c->idle);
		all->contexts = c->next;
		drop_order(all->pool, &c->order);
		free(c);
	}
	sc_clock_put(all->pool, all->begun);
	sc_slab_fini(&all->slab);
	drop_greens(all);
	sc_vector_fini(&all->free_lanes);
	sc_u64_map_fini(&all->by_id);
	sc_u64_map_fini(&all->contexts_by_id);
}

struct sc_context *sc_context_of(struct sc_streams *all, uint32_t id)
{
	uint64_t *place = sc_u64_map_get(&all->contexts_by_id, id);
	struct sc_context *c;

	if (*place)
		return (struct sc_context *)(uintptr_t)*place;
	c = sc_heap_xcalloc(1, sizeof(*c));
	c->id = id;
	c->next = all->contexts;
	all->contexts = c;
	*place = (uintptr_t)c;
	return c;
}

struct sc_green *sc_green_of(struct sc_streams *all, uint32_t id, uint8_t device)
{
	uint64_t *place;
	struct sc_green *g;

	if (!id)
		return NULL;
	place = sc_u64_map_get(&all->greens_by_id, id);
	if (*place)
		return (struct sc_green *)(uintptr_t)*place;
	g = sc_heap_xcalloc(1, sizeof(*g));
	g->id = id;
	g->device = device;
	g->next = all->greens;
	all->greens = g;
	*place = (uintptr_t)g;
	return g;
}

static struct sc_stream *look_up(struct sc_streams *all, uint32_t id, uint32_t context)
{
	uint64_t *place = sc_u64_map_find(&all->by_id, id);

	if (place)
		return (struct sc_stream *)(uintptr_t)*place;
	return id ? sc_stream_create(all, id, context, 0) : NULL;
}

struct sc_stream *sc_stream_look_up(struct sc_streams *all, uint32_t id, uint32_t context)
{
	struct sc_stream *s = look_up(all, id, context);

	sc_assert(!s || s->id == id);
	all->recent[id % SC_STREAMS_RECENT] = s;
	return s;
}

/* The stream's id, and its lanes, mean nothing any more; the lane of an agent that is still at work
 * does. */
static void give_back(struct sc_streams *all, struct sc_stream *s,
		      const struct sc_stream_known *known)
{
	struct sc_stream **recent = &all->recent[s->id % SC_STREAMS_RECENT];
	struct sc_point agent = {.lane = s->agent_lane - 1, .position = s->agent_position};

	if (s->tail.lane != SC_LANE_NONE)
		sc_vector_push(&all->free_lanes, s->tail.lane);
	for (size_t i = 0; i < s->beside.count; i++)
		sc_vector_push(&all->free_lanes, s->beside.items[i]);
	if (s->agent_lane && known->is_known(known->data, &agent))
		sc_vector_push(&all->free_lanes, agent.lane);
	if (s->id)
		sc_u64_map_remove(&all->by_id, s->id);
	if (*recent == s)
		*recent = NULL;
	sc_assert(all->dead > 0 || !s->destroyed);
	if (s->destroyed)
		all->dead--;
	forget(all, s);
}

static void forget_dead_of(struct sc_streams *all, struct sc_stream *list,
			   const struct sc_stream_known *known)
{
	for (struct sc_stream *s = list, *next; s; s = next) {
		next = s->next;
		if (s->destroyed && known->is_known(known->data, &s->tail))
			give_back(all, s, known);
	}
}

static void forget_dead(struct sc_streams *all, const struct sc_stream_known *known)
{
	for (struct sc_context *c = all->contexts; c; c = c->next) {
		forget_dead_of(all, sc_context_streams(c), known);
		forget_dead_of(all, c->idle, known);
	}
	/* a look at all that are left is due to as many destroyed streams, but for a factor */
	all->dead_max = all->dead * 2 + (uint32_t)(all->by_id.count / 4) + DEAD_MIN;
}

/* ---- dead contexts ---- */

static void give_back_known(struct sc_streams *all, struct sc_stream *list,
			    const struct sc_stream_known *known)
{
	for (struct sc_stream *s = list, *next; s; s = next) {
		next = s->next;
		if (known->is_known(known->data, &s->tail))
			give_back(all, s, known);
	}
}

/* True if nothing of the context is left. */
static bool empty_context(struct sc_streams *all, struct sc_context *c,
			  const struct sc_stream_known *known)
{
	const struct sc_point *recorded = &c->order.recorded;

	if (recorded->position && !known->is_known(known->data, recorded))
		return 0;
	c->abandoned = NULL;
	c->legacy = NULL;
	give_back_known(all, sc_context_streams(c), known);
	give_back_known(all, c->idle, known);
	return !c->used && !c->idle;
}

static void forget_context(struct sc_streams *all, struct sc_context **place)
{
	struct sc_context *c = *place;

	*place = c->next;
	all->dead_contexts--;
	if (c->order.recorded.position)
		sc_vector_push(&all->free_lanes, c->order.recorded.lane);
	drop_order(all->pool, &c->order);
	sc_u64_map_remove(&all->contexts_by_id, c->id);
	free(c);
}

void sc_context_forget_older(struct sc_streams *all, const struct sc_stream_known *known)
{
	struct sc_context **place = &all->contexts;
	size_t met = 0;

	if (!all->remembered || ++all->dead_contexts < 2 * all->remembered)
		return;
	while (*place) {
		struct sc_context *c = *place;

		if (c->is_dead && ++met > all->remembered && empty_context(all, c, known))
			forget_context(all, place);
		else
			place = &c->next;
	}
}

static struct sc_stream *add_stream(struct sc_streams *all, struct sc_context *c)
{
	struct sc_stream *s = sc_slab_take(&all->slab, sizeof(*s));

	memset(s, 0, sizeof(*s));
	s->context = c;
	s->tail.lane = SC_LANE_NONE;
	put_first(&c->idle, s);
	return s;
}

struct sc_stream *sc_stream_create(struct sc_streams *all, uint32_t id, uint32_t context,
				   uint32_t flags)
{
	uint64_t *place = sc_u64_map_get(&all->by_id, id);
	struct sc_context *c = sc_context_of(all, context);
	struct sc_stream *s;

	sc_assert(id != 0);
	if (*place)
		return (struct sc_stream *)(uintptr_t)*place;
	s = flags & SC_FLAG_LEGACY && c->legacy && !c->legacy->id ? c->legacy : add_stream(all, c);
	s->id = id;
	s->flags = flags;
	s->green = c->green;
	if (flags & SC_FLAG_LEGACY && !c->legacy)
		c->legacy = s;
	*place = (uintptr_t)s;
	return s;
}

struct sc_stream *sc_stream_legacy(struct sc_streams *all, struct sc_context *context)
{
	if (!context->legacy) {
		context->legacy = add_stream(all, context);
		context->legacy->flags = SC_FLAG_LEGACY;
	}
	sc_assert(sc_stream_is_legacy(context->legacy));
	return context->legacy;
}

void sc_stream_destroy(struct sc_streams *all, struct sc_stream *s, uint64_t position,
		       const struct sc_stream_known *known)
{
	sc_assert(position > s->pushed);
	sc_assert(position > 0);
	if (s->destroyed || sc_stream_is_legacy(s))
		return;
	s->destroyed = position;
	if (++all->dead > all->dead_max)
		forget_dead(all, known);
}

bool sc_stream_is_blocking(const struct sc_stream *s)
{
	return !(s->flags & SC_FLAG_NON_BLOCKING) && !sc_stream_is_legacy(s);
}

static void join_tail(struct sc_streams *all, struct sc_stream *s, struct sc_stream *other)
{
	if (sc_stream_knows(s, &other->tail))
		return;
	sc_clock_join_point(all->pool, &s->tail.base, &other->tail);
}

/* S-3. A legacy stream that saw the last blocking op need not look at its streams again. */
void sc_stream_join_implicit(struct sc_streams *all, struct sc_stream *s, uint64_t since)
{
	struct sc_context *c = s->context;

	if (s == c->legacy) {
		if (c->last_blocking <= since)
			return;
		for (struct sc_stream *b = sc_context_streams(c); b && b->tail.position > since;
		     b = b->next)
			if (sc_stream_is_blocking(b))
				join_tail(all, s, b);
	} else if (c->legacy && sc_stream_is_blocking(s)) {
		join_tail(all, s, c->legacy);
	}
}

uint32_t sc_stream_lane(struct sc_streams *all)
{
	uint32_t lane;

	sc_assert(all->free_lanes.count <= all->lanes && all->lanes < SC_LANE_NONE);
	if (!all->free_lanes.count)
		return all->lanes++;
	lane = all->free_lanes.items[--all->free_lanes.count];
	sc_assert(lane < all->lanes); /* it was given out before */
	return lane;
}

/* The stream is among its context's news from now on, and has a lane. */
static void be_news(struct sc_streams *all, struct sc_stream *s)
{
	if (s->tail.lane == SC_LANE_NONE)
		s->tail.lane = sc_stream_lane(all);
	s->is_new = 1;
	s->next_new = s->context->news;
	s->context->news = s;
}

void sc_stream_push(struct sc_streams *all, struct sc_stream *s, uint64_t position,
		    struct sc_interval *when)
{
	sc_assert(position > s->pushed); /* records come in the order of the trace */
	if (!s->is_new)
		be_news(all, s);
	if (!(s->flags & SC_FLAG_NON_BLOCKING) && !sc_stream_is_legacy(s))
		s->context->last_blocking = position;
	s->tail.position = s->pushed = position;
	when->start = s->tail.base;
	when->lane = s->tail.lane;
	when->is_thread = 0;
	when->position = when->entered = position;
}

uint32_t sc_stream_take_beside(struct sc_streams *all, struct sc_stream *s)
{
	sc_assert(s->beside_used <= s->beside.count);
	if (s->beside_used == s->beside.count) {
		if (s->beside.count == SC_FORKS_MAX)
			return SC_LANE_NONE;
		sc_vector_push(&s->beside, sc_stream_lane(all));
	}
	return s->beside.items[s->beside_used++];
}

/* The tail is as if an empty op, after everything else, stood at the same position. */
void sc_stream_push_beside(struct sc_streams *all, struct sc_stream *s, uint32_t lane,
			   struct sc_clock *start, uint64_t position, struct sc_interval *when)
{
	struct sc_point end = {.base = start, .lane = lane, .position = position};

	sc_assert(lane < all->lanes);
	sc_assert(lane != SC_LANE_NONE && lane != s->tail.lane);
	sc_clock_join_point(all->pool, &s->tail.base, &end);
	sc_stream_push(all, s, position, when);
	sc_clock_put(all->pool, s->last_kernel.start);
	s->last_kernel.start = start;
	when->start = start;
	when->lane = lane;
}

void sc_stream_part_return(struct sc_stream *s)
{
	sc_assert(s->tail.position == s->pushed); /* once an op */
	s->tail.position = s->pushed + 1;
}

void sc_stream_add_to_target(struct sc_streams *all, struct sc_target *t, struct sc_stream *s,
			     const struct sc_clock *host)
{
	if (!sc_point_is_surely_in(&s->tail, host))
		sc_clock_join_point(all->pool, &t->more, &s->tail);
}

struct sc_target sc_stream_target(struct sc_streams *all, struct sc_stream *s,
				  const struct sc_clock *host)
{
	struct sc_target t = {0};

	t.point = sc_point_get(&s->tail);
	if (!sc_stream_is_legacy(s))
		return t;
	for (struct sc_stream *b = sc_context_streams(s->context);
	     b && b->tail.position > s->context->known; b = b->next)
		if (sc_stream_is_blocking(b))
			sc_stream_add_to_target(all, &t, b, host);
	return t;
}
