/* Window plan: option `window` as data, which parts of a run are recorded in full.
 *
 *	cudaProfilerApi			between cudaProfilerStart and cudaProfilerStop
 *	nvtx:NAME[@DOMAIN]		in the ranges of this name
 *	calls				between streamcheck_window_begin and streamcheck_window_end
 *	after:TIME, for:TIME, every:TIME	from then on, so long, again and again
 *	every:N				after one of the first three: the first of each N windows
 *
 * Parts are separated by commas. A TIME is a whole number with ms, s, m or h. No heap.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SC_WINDOW_NAME 256 /* bytes of a range's name, as of those that NVTX gives */

enum sc_window_source {
	SC_WINDOW_ALWAYS, /* the option is empty: all of the run */
	SC_WINDOW_PROFILER,
	SC_WINDOW_NVTX,
	SC_WINDOW_CALLS,
	SC_WINDOW_TIMES
};

struct sc_window_plan {
	enum sc_window_source source;
	char name[SC_WINDOW_NAME], domain[SC_WINDOW_NAME]; /* domain "": the default one */
	uint64_t every;					   /* windows, at least 1 */
	uint64_t after_ns, for_ns, period_ns;		   /* for, period 0: for ever, once */
};

/* Reads the option's value. Returns 0, or -EINVAL with a sentence. */
int sc_window_plan_read(struct sc_window_plan *plan, const char *text, char *message, size_t bytes);
/* Of a plan by times: whether a window is open after so long. `next_ns` is when that changes,
 * UINT64_MAX if never. */
bool sc_window_plan_is_open(const struct sc_window_plan *plan, uint64_t elapsed_ns,
			    uint64_t *next_ns);
/* True if a range of this domain ("": the default one) and name is a window. */
bool sc_window_plan_names(const struct sc_window_plan *plan, const char *domain, const char *name);
