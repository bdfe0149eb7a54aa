/* One CUDA call on its way through the recorder: from its entry to its exit.
 *
 * A wrapper calls sc_intercept_enter, the real function, sc_intercept_exit. Enqueues are written
 * when they are entered, so that the trace's order is the order of entry, and their result is
 * patched in at the exit. No lock is held while the real function runs (appendix A).
 */
#pragma once

#include "interposer/call/call.h"

/* Begins a call: what a hook or a callback of CUPTI does first. */
void sc_intercept_begin(struct sc_call *call, int row, bool per_thread, void *params);
/* For a hook, whose frame is `frame`: begins the call, unless it comes from CUPTI too; returns the
 * real function, NULL if there is no driver to call. */
void *sc_intercept_enter(struct sc_call *call, int row, bool per_thread, void *params,
			 const void *frame);
/* Ends it; returns `result`. */
CUresult sc_intercept_exit(struct sc_call *call, CUresult result);
