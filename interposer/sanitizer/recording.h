/* Recorded footprints: which bytes kernels touch, as patches of the Sanitizer API note it on the
 * GPU.
 *
 * A callback at each launch of a kernel that is to be recorded gives it a plane (plane.h). Once the
 * launch is enqueued, `collect` is enqueued after it in the same stream; its results are read by a
 * later call, or at the end, and become a LAUNCH_BYTES op. Nothing waits for a launch, unless no
 * plane is free; and then not for long. What is not recorded is counted by reason.
 *
 * Of a graph's launch each such node gets a plane. With driver 580 all nodes of a branch see the
 * data that the last of them was given, so all are given the same: a head, in which a node finds
 * its plane by the number of its grid, which the callback of the node says and the grid knows.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include "interposer/sanitizer/recording_thread.h"

struct sc_recording_switch {
	atomic_bool is_on;
};

extern struct sc_recording_switch sc_recording;

static inline bool sc_recording_is_on(void)
{
	return atomic_load_explicit(&sc_recording.is_on, memory_order_relaxed);
}

/* The thread makes a launch that is recorded. */
static inline bool sc_recording_is_launch(void)
{
	return sc_recording_thread()->plane || sc_recording_thread()->head;
}

/* A kernel or a graph is about to be launched: has the context's collector ready. */
void sc_recording_prepare(void);
/* The launch was made, or refused: `result`. Its stream as the call names it, which is the form
 * with per-thread default streams or the other one. */
void sc_recording_launched(int result, const void *stream, bool per_thread);
