/* A moment by the processor's counter and by CLOCK_MONOTONIC, for clock.h. */
#pragma once

#include <stdint.h>

/* One moment, by the counter and by the clock. */
struct sc_clock_reading {
	uint64_t ticks, ns;
};

/* A thread's last reading of both; in sc_self. */
struct sc_call_clock {
	uint32_t version; /* odd while it is being changed: a handler may interrupt */
	uint32_t rate;	  /* nanoseconds a tick, in 2^-32; 0: not known yet */
	uint64_t most;	  /* ticks that may pass until the clock is looked at again */
	struct sc_clock_reading last;
	uint64_t given_ns; /* the latest time that was given out */
};
