/* The clock of the calls: CLOCK_MONOTONIC, read by the processor's counter in between.
 *
 * A reading of CLOCK_MONOTONIC waits for all loads before it and costs more than all else that a
 * recorded call does at once. Where the kernel itself trusts the processor's counter (its clock
 * source is "tsc": it runs evenly, and alike on all processors), a thread reads both together once
 * a millisecond and goes on by the counter alone. It then is off by what the kernel corrects the
 * clock by in a millisecond, half a microsecond at most. Never goes backwards in a thread. Safe in
 * signal handlers; elsewhere, and in the first moments, it is CLOCK_MONOTONIC.
 */
#ifndef SC_INTERPOSER_CORE_CLOCK_H
#define SC_INTERPOSER_CORE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include "interposer/core/clock_reading.h"

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
/* CLOCK_MONOTONIC itself, for comparing it with other clocks. */
uint64_t sc_clock_exact(void);

#endif
