/* Wide: records and waits of all streams of a context, or of a green context (E-9, S-9).
 *
 * A green context is a part of its device with streams of its own. Such a stream is one of the
 * context too that was current when it was made, and remembers its green context beside. What is
 * said of the green context goes for its streams, wherever they are; what is said of a primary
 * context goes for the green contexts of its device as well. A program without green contexts pays
 * one test.
 */
#ifndef SC_ANALYZER_ORDER_CONTEXT_ORDER_H
#define SC_ANALYZER_ORDER_CONTEXT_ORDER_H

#include "analyzer/order/stream.h"

void sc_wide_fini(struct sc_clock_pool *pool, struct sc_wide *w);
void sc_greens_fini(struct sc_streams *all);
/* The green context of an id; NULL for id 0. */
struct sc_green *sc_green_of(struct sc_streams *all, uint32_t id, uint8_t device);

/* All work of the context, or of the green context if one is given, as if an op on a lane of its
 * own came after it; borrowed. */
const struct sc_point *sc_wide_gather(struct sc_streams *all, struct sc_context *context,
				      struct sc_green *green, uint64_t position);
/* All their later work comes after a point and a clock. */
void sc_wide_shut(struct sc_streams *all, struct sc_context *context, struct sc_green *green,
		  const struct sc_point *point, struct sc_clock *more);
/* The stream's next op comes after the gates of its contexts. */
void sc_stream_join_gate(struct sc_streams *all, struct sc_stream *s);
/* *clock, of what an op of the stream comes after, learns the same. */
void sc_wide_join_gates(struct sc_streams *all, const struct sc_stream *s, struct sc_clock **clock);
/* Adds to a wait for the context what its green contexts have that the host does not know. */
void sc_wide_add(struct sc_streams *all, struct sc_target *t, struct sc_context *context,
		 const struct sc_clock *host);

#endif
