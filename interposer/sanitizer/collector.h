/* Collector: the kernel that turns the bits of a plane into runs (kernels/collect.cu). */
#pragma once

#include "interposer/sanitizer/plane.h"

/* Loads it into the current context, which is the planes'. False: that failed. */
bool sc_collector_load(struct sc_planes *planes);
/* Launches it for a plane, after the work of the stream. False: that failed. */
bool sc_collector_launch(struct sc_plane_slot *slot, const void *stream, bool per_thread);
