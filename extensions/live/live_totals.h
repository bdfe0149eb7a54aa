/* Totals: what the follower of a run knows so far, summed over its processes. */
#pragma once

#include <stdint.h>

struct sc_live_totals {
	uint64_t processes;
	uint64_t operations;
	uint64_t errors, warnings; /* proven or likely, and not hidden */
	uint64_t trace_bytes;	   /* on disk */
	uint64_t behind;	   /* operations that are written and not read yet, an estimate */
};
