/* Windows: the parts of a run that are recorded in full (option window, base/window_plan.h).
 *
 * Outside of them only what orders operations is recorded: calls with their handles and operands,
 * but no call stacks of work and waits, no parameters of launches, and no page guard. So the clocks
 * of the first operation inside are true. The trace has an op where a window begins and ends.
 *
 * Without the option all of the run is inside. Reasons to open a window may overlap; a request by
 * `streamcheck window` comes before all of them.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include "base/window_plan.h"

struct sc_windows {
	atomic_bool is_closed;
	atomic_bool is_planned; /* option window is set */
	atomic_bool is_served;	/* the thread was started, or could not be */
	struct sc_window_plan plan;
};

extern struct sc_windows sc_windows;

/* True outside of all windows. */
static inline bool sc_windows_is_closed(void)
{
	return atomic_load_explicit(&sc_windows.is_closed, memory_order_relaxed);
}

/* A part of the run begins that is a window by the plan: false if it is passed over (every:N). Then
 * its end is not to be said. */
bool sc_windows_enter(void);
void sc_windows_leave(void);
/* The same where beginnings and ends have no partner, by calls: the first begins, the last ends. */
void sc_windows_begin_call(enum sc_window_source source);
void sc_windows_end_call(enum sc_window_source source);
/* Starts the thread that keeps times and hears requests, once. */
void sc_windows_start_server(void);
/* If that is needed; where threads may be started. */
static inline void sc_windows_serve(void)
{
	if (atomic_load_explicit(&sc_windows.is_planned, memory_order_relaxed) &&
	    !atomic_load_explicit(&sc_windows.is_served, memory_order_relaxed))
		sc_windows_start_server();
}
