/* Tails: how a stream's end moves on with each op; inline, because every op does it.
 *
 * What is unusual (a stream that was not looked up lately, a legacy stream, a gate, news of the
 * host) is left to stream.c and host.c.
 */
#ifndef SC_ANALYZER_ORDER_TAIL_H
#define SC_ANALYZER_ORDER_TAIL_H

#include "analyzer/order/order.h"
#include "analyzer/order/context_order.h"

/* The stream of an op; unknown ones appear as blocking streams of the context. NULL for id 0. */
static inline struct sc_stream *sc_tail_stream(struct sc_streams *all, const struct sc_op *op)
{
	struct sc_stream *s = all->recent[op->stream % SC_STREAMS_RECENT];

	return s && s->id == op->stream ? s : sc_stream_of(all, op->stream, op->context);
}

/* Everything that the caller knows comes before what its call puts into the stream (0.2). */
static inline void sc_tail_join_caller(struct sc_order *o, const struct sc_step *step)
{
	if (step->inside || o->hosts.is_strict || step->stream->host_version != o->host.version)
		sc_order_join_caller(o, step);
}

/* The moment of what host code does now, in no callback; all threads are one time line. */
static inline struct sc_when sc_tail_host(const struct sc_order *o)
{
	return (struct sc_when){
		.start = o->host.clock, .lane = SC_LANE_HOST, .position = o->at, .entered = o->at};
}

/* What the stream's next op comes after in any case (E-9, S-9, S-3). */
static inline void sc_tail_join_context(struct sc_order *o, struct sc_stream *s)
{
	if (s->gate != s->context->wide.version || s->green)
		sc_stream_join_gate(&o->streams, s);
	if (s->context->legacy)
		sc_stream_join_implicit(&o->streams, s, s->pushed);
}

/* The stream gets an op at `position`; *when gets its interval. */
static inline void sc_tail_push(struct sc_streams *all, struct sc_stream *s, uint64_t position,
				struct sc_when *when)
{
	if (!s->is_new)
		sc_stream_be_news(all, s);
	if (!(s->flags & SC_FLAG_NON_BLOCKING) && !sc_stream_is_legacy(s))
		s->context->last_blocking = position;
	s->tail.position = s->pushed = position;
	when->start = s->tail.base;
	when->lane = s->tail.lane;
	when->is_thread = 0;
	when->position = when->entered = position;
}

#endif
