/* Wide: which streams a context-wide call means, and what it does to them. */
#include "analyzer/order/context_order.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/heap.h"

void sc_wide_fini(struct sc_clock_pool *pool, struct sc_wide *w)
{
	sc_point_put(pool, &w->gathered);
	sc_clock_put(pool, w->gate);
}

void sc_greens_fini(struct sc_streams *all)
{
	struct sc_green *g;

	while ((g = all->greens)) {
		all->greens = g->next;
		sc_wide_fini(all->pool, &g->wide);
		free(g);
	}
	sc_u64_map_fini(&all->greens_by_id);
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

/* A green context means its own streams; a primary one those of its device's green ones too. */
static bool is_meant(const struct sc_context *c, const struct sc_green *green,
		     const struct sc_stream *s)
{
	if (green)
		return s->green == green;
	return s->context == c || (s->green && c->is_primary && s->green->device == c->device);
}

static bool is_inside_only(const struct sc_streams *all, const struct sc_context *c,
			   const struct sc_green *green)
{
	return !all->greens || (!green && !c->is_primary);
}

/* *clock learns the tails of all streams that are meant, unless `host` has them. */
static void join_tails(struct sc_streams *all, struct sc_context *context,
		       const struct sc_green *green, const struct sc_clock *host,
		       struct sc_clock **clock)
{
	bool is_inside = is_inside_only(all, context, green);
	struct sc_context *c = is_inside ? context : all->contexts;

	for (; c; c = is_inside ? NULL : c->next)
		for (struct sc_stream *s = sc_context_streams(c); s; s = s->next) {
			if (!is_meant(context, green, s) || sc_point_is_in(&s->tail, host))
				continue;
			sc_stream_settle(all->pool, s);
			sc_clock_join_point(all->pool, clock, &s->tail);
		}
}

const struct sc_point *sc_wide_gather(struct sc_streams *all, struct sc_context *context,
				      struct sc_green *green, uint64_t position)
{
	struct sc_point *p = green ? &green->wide.gathered : &context->wide.gathered;

	if (!p->position)
		p->lane = sc_stream_lane(all);
	join_tails(all, context, green, NULL, &p->base);
	p->position = position;
	return p;
}

static void shut(struct sc_streams *all, struct sc_wide *w, const struct sc_point *point,
		 struct sc_clock *more)
{
	bool is_news = sc_clock_join_point(all->pool, &w->gate, point);

	if (sc_clock_join(all->pool, &w->gate, more) || is_news)
		w->version++;
}

void sc_wide_shut(struct sc_streams *all, struct sc_context *context, struct sc_green *green,
		  const struct sc_point *point, struct sc_clock *more)
{
	if (green) {
		shut(all, &green->wide, point, more);
		return;
	}
	shut(all, &context->wide, point, more);
	for (struct sc_green *g = context->is_primary ? all->greens : NULL; g; g = g->next)
		if (g->device == context->device)
			shut(all, &g->wide, point, more);
}

void sc_wide_join_gates(struct sc_streams *all, const struct sc_stream *s, struct sc_clock **clock)
{
	sc_clock_join(all->pool, clock, s->context->wide.gate);
	if (s->green)
		sc_clock_join(all->pool, clock, s->green->wide.gate);
}

void sc_stream_join_gate(struct sc_streams *all, struct sc_stream *s)
{
	uint64_t green = s->green ? s->green->wide.version : 0;

	if (s->gate == s->context->wide.version && s->green_gate == green)
		return;
	sc_wide_join_gates(all, s, &s->tail.base);
	s->gate = s->context->wide.version;
	s->green_gate = green;
}

void sc_wide_add(struct sc_streams *all, struct sc_target *t, struct sc_context *context,
		 const struct sc_clock *host)
{
	if (!is_inside_only(all, context, context->green))
		join_tails(all, context, context->green, host, &t->more);
}
