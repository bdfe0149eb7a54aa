/* Order by context: which streams a call means, and what it does to them. */
#include "analyzer/order/context_order.h"

#include <stdbool.h>
#include "base/assert.h"

/* A green context means its own streams; a primary one those of its device's green ones too. */
static bool is_meant(const struct sc_context *c, const struct sc_green *green,
		     const struct sc_stream *s)
{
	if (green)
		return s->green == green;
	return s->context == c || (s->green && s->green->device == c->device);
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
			if (is_meant(context, green, s) && !sc_point_is_surely_in(&s->tail, host))
				sc_clock_join_point(all->pool, clock, &s->tail);
		}
}

const struct sc_point *sc_context_record(struct sc_streams *all, struct sc_context *context,
					 struct sc_green *green, uint64_t position)
{
	struct sc_point *p = green ? &green->order.recorded : &context->order.recorded;

	sc_assert(position > p->position);
	if (!p->position)
		p->lane = sc_stream_lane(all);
	join_tails(all, context, green, NULL, &p->base);
	p->position = position;
	return p;
}

static void add_awaited(struct sc_streams *all, struct sc_context_order *order,
			const struct sc_point *point, struct sc_clock *more)
{
	bool is_news = sc_clock_join_point(all->pool, &order->awaited, point);

	if (sc_clock_join(all->pool, &order->awaited, more) || is_news)
		order->version++;
}

void sc_context_wait(struct sc_streams *all, struct sc_context *context, struct sc_green *green,
		     const struct sc_point *point, struct sc_clock *more)
{
	if (green) {
		add_awaited(all, &green->order, point, more);
		return;
	}
	add_awaited(all, &context->order, point, more);
	for (struct sc_green *g = context->is_primary ? all->greens : NULL; g; g = g->next)
		if (g->device == context->device)
			add_awaited(all, &g->order, point, more);
}

void sc_context_join_awaited(struct sc_streams *all, const struct sc_stream *s,
			     struct sc_clock **clock)
{
	sc_clock_join(all->pool, clock, s->context->order.awaited);
	if (s->green)
		sc_clock_join(all->pool, clock, s->green->order.awaited);
}

void sc_stream_join_awaited(struct sc_streams *all, struct sc_stream *s)
{
	uint64_t green = s->green ? s->green->order.version : 0;

	if (s->awaited == s->context->order.version && s->green_awaited == green)
		return;
	sc_context_join_awaited(all, s, &s->tail.base);
	s->awaited = s->context->order.version;
	s->green_awaited = green;
}

struct sc_target sc_context_target(struct sc_streams *all, struct sc_context *context,
				   const struct sc_clock *host)
{
	struct sc_stream *last = sc_context_streams(context);
	struct sc_target t = {0};

	if (last)
		t.point = sc_point_get(&last->tail);
	for (struct sc_stream *s = last; s && s->tail.position > context->known; s = s->next)
		sc_stream_add_to_target(all, &t, s, host);
	if (all->greens && !is_inside_only(all, context, context->green))
		join_tails(all, context, context->green, host, &t.more);
	return t;
}

static bool is_pending(const struct sc_stream *s, const struct sc_clock *host, bool is_lasting)
{
	return sc_clock_at(host, s->tail.lane) < (is_lasting ? s->last_lasting : s->last_work);
}

const struct sc_stream *sc_context_pending(struct sc_context *context, const struct sc_clock *host,
					   bool is_lasting)
{
	const struct sc_stream *last = NULL;

	for (const struct sc_stream *s = sc_context_streams(context); s; s = s->next)
		if (is_pending(s, host, is_lasting) && (!last || s->last_work > last->last_work))
			last = s;
	return last;
}

bool sc_context_is_alone(struct sc_context *context, const struct sc_clock *host,
			 const struct sc_stream *pending)
{
	sc_assert(!pending || pending->context == context);
	for (const struct sc_stream *s = sc_context_streams(context); s; s = s->next)
		if (s != pending && is_pending(s, host, 1))
			return 0;
	return 1;
}
