/* The clock of the calls: CLOCK_MONOTONIC, read by the processor's counter in between.
 *
 * A reading of CLOCK_MONOTONIC waits for all loads before it and costs more than all else that a
 * recorded call does at once. Where the kernel itself trusts the processor's counter (its clock
 * source is "tsc": it runs evenly, and alike on all processors), a thread reads both together once
 * a millisecond and goes on by the counter alone. It then is off by what the kernel corrects the
 * clock by in a millisecond, half a microsecond at most. Never goes backwards in a thread. Safe in
 * signal handlers; elsewhere, and in the first moments, it is CLOCK_MONOTONIC.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/arch/processor.h"
#include "interposer/core/clock_reading.h"
#include "interposer/core/thread.h"

/* What the rate is measured from, in a session. */
struct sc_clock_base {
	bool is_counted; /* the counter may be used */
	struct sc_clock_reading first;
};

extern struct sc_clock_base sc_clock_base;

/* Whether the counter may be used, and the first reading; when the session starts. */
void sc_clock_init(void);
/* Nanoseconds now, for an op. */
uint64_t sc_clock_now(void);
/* By the counter; 0 if it has to be looked at the clock itself. */
static inline uint64_t sc_clock_count(const struct sc_call_clock *c)
{
	uint32_t version = c->version;
	uint64_t ticks, ns;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ticks = sc_counter_read() - c->last.ticks;
	if (ticks >= c->most)
		return 0;
	ns = c->last.ns + (ticks * c->rate >> 32);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return version == c->version && !(version & 1) ? ns : 0;
}
/* The same as sc_clock_now, in line as long as the counter will do. */
static inline uint64_t sc_clock_quick(void)
{
	struct sc_call_clock *c = &sc_self.clock;
	uint64_t ns = sc_clock_count(c);

	if (ns <= c->given_ns || !__atomic_load_n(&sc_clock_base.is_counted, __ATOMIC_RELAXED))
		return sc_clock_now();
	return c->given_ns = ns;
}
/* CLOCK_MONOTONIC itself, for comparing it with other clocks. */
uint64_t sc_clock_exact(void);
