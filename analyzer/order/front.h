/* Front: what a stream remembers of the kernel and the memory wait that it ends with; part of
 * analyzer/order/stream.h.
 */
#ifndef SC_ANALYZER_ORDER_FRONT_H
#define SC_ANALYZER_ORDER_FRONT_H

#include "analyzer/clock/point.h"

#define SC_FORKS_MAX 32

/* The kernel that a stream ends with, records and waits not counted; a programmatic one may start
 * as early as this one did (L-2). */
struct sc_front {
	uint64_t position;	/* of its end; 0: the stream's last op is no kernel */
	uint64_t before;	/* of the op before the kernel, if it is on the stream's own lane */
	uint32_t lane;		/* its own: the stream's, or one beside it */
	uint32_t kernel;	/* id */
	struct sc_clock *start; /* owned: what it came after, if it is on a lane beside */
};

/* A wait for a word in memory that joined something new (W-2). */
struct sc_by_memory {
	uint64_t wait; /* its sequence + 1 */
	uint32_t lane; /* of the write that it waited for */
	uint64_t position;
};

#endif
