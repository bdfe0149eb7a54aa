/* Order by context: waits for, and records and waits of events by, all streams of a context or of a
 * green context (H-1, E-9, S-9).
 *
 * A green context is a part of its device with streams of its own. Such a stream is one of the
 * context too that was current when it was made, and remembers its green context beside. What goes
 * for the green context goes for its streams, wherever they are; what goes for a primary context
 * goes for the green contexts of its device as well. A program without green contexts pays one
 * test.
 */
#pragma once

#include "analyzer/order/stream.h"

/* What a wait for the context covers. */
struct sc_target sc_context_target(struct sc_streams *all, struct sc_context *context,
				   const struct sc_clock *host);
/* The stream with the newest work that the host did not wait for, or NULL; `is_lasting`: only work
 * that the program may miss counts (last_lasting of the stream). */
const struct sc_stream *sc_context_pending(struct sc_context *context, const struct sc_clock *host,
					   bool is_lasting);
/* True if no other stream of the context has such lasting work. */
bool sc_context_is_alone(struct sc_context *context, const struct sc_clock *host,
			 const struct sc_stream *pending);
/* All work of the context, or of the green context if one is given, as if an op on a lane of its
 * own came after it; borrowed. */
const struct sc_point *sc_context_record(struct sc_streams *all, struct sc_context *context,
					 struct sc_green *green, uint64_t position);
/* All their later work comes after a point and a clock. */
void sc_context_wait(struct sc_streams *all, struct sc_context *context, struct sc_green *green,
		     const struct sc_point *point, struct sc_clock *more);
/* *clock, of what an op of the stream comes after, learns what its contexts wait for. */
void sc_context_join_awaited(struct sc_streams *all, const struct sc_stream *s,
			     struct sc_clock **clock);
/* The same for the stream's next op. */
void sc_stream_join_awaited(struct sc_streams *all, struct sc_stream *s);

/* What the stream's next op comes after in any case (E-9, S-9, S-3). */
static inline void sc_stream_join_context(struct sc_streams *all, struct sc_stream *s)
{
	if (s->awaited != s->context->order.version || s->green)
		sc_stream_join_awaited(all, s);
	if (s->context->legacy)
		sc_stream_join_implicit(all, s, s->pushed);
}
