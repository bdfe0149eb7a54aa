/* Weak launches: kernels that start before the previous kernel is complete (section 9).
 *
 * A programmatic kernel may start as soon as the previous kernel of its stream did. If its code
 * waits for the grid that it depends on, its accesses come after the end of that kernel, and of
 * that kernel only: what did not wait itself is passed over. Kernels that are not in the stream's
 * order have a lane beside the stream's; the next ordinary op comes after all of them. Of a kernel
 * whose code is not known it is assumed that it waits.
 */
#ifndef SC_ANALYZER_ORDER_PROGRAMMATIC_H
#define SC_ANALYZER_ORDER_PROGRAMMATIC_H

#include "analyzer/order/tail.h"

/* A kernel goes into the step's stream, whose tail already has what it comes after in any case. */
void sc_programmatic_launch(struct sc_order *o, struct sc_step *step);
/* The same of a kernel that is not programmatic and records no event. */
static inline void sc_programmatic_follow(struct sc_streams *all, struct sc_stream *s,
					  uint32_t kernel, uint64_t position, struct sc_when *when)
{
	uint64_t before = sc_stream_in_front(s, position);

	sc_tail_push(all, s, position, when);
	s->beside_used = 0;
	s->front.position = position;
	s->front.before = before;
	s->front.lane = when->lane;
	s->front.kernel = kernel;
}

/* Another op goes into the stream, after everything else. */
static inline void sc_programmatic_end(struct sc_stream *s)
{
	s->front.position = 0;
	s->beside_used = 0;
}

#endif
