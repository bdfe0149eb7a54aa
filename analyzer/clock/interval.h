/* Intervals: when an op touches memory, as the ordering engine knows it.
 *
 * "x before y" means end(x) -> start(y) of specification 0.1. One comparison decides it, because
 * y.start is closed (clock.h). In the observed mode all host threads share one time line, the host
 * lane (host.h): a call or access comes after every host action that stands before it in the trace.
 * A device op starts after everything that the host did before it entered the call (0.2), hence
 * `entered`.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/clock/point.h"

#define SC_LANE_HOST UINT32_MAX

struct sc_interval {
	struct sc_clock *start; /* what is complete before it starts; borrowed unless said */
	uint32_t lane;
	bool is_thread;	   /* the lane is that of one host thread (strict mode) */
	uint64_t position; /* of its end on its lane */
	uint64_t entered;  /* position of its host call; its own for host accesses */
};

/* Done by host code that is in no callback. */
static inline bool sc_interval_is_host(const struct sc_interval *x)
{
	return x->lane == SC_LANE_HOST || x->is_thread;
}

static inline bool sc_interval_before(const struct sc_interval *x, const struct sc_interval *y)
{
	if (x->lane == SC_LANE_HOST)
		return x->position < y->entered;
	if (x->lane == y->lane)
		return x->position < y->position;
	return sc_clock_at(y->start, x->lane) >= x->position;
}

/* Both belong to one op (or one callback), whose parts are not checked against each other. */
static inline bool sc_interval_same(const struct sc_interval *x, const struct sc_interval *y)
{
	return x->lane == y->lane && x->position == y->position;
}

static inline bool sc_interval_unordered(const struct sc_interval *x, const struct sc_interval *y)
{
	return !sc_interval_same(x, y) && !sc_interval_before(x, y) && !sc_interval_before(y, x);
}
