/* What is kept of each thread whose launches are recorded. */
#pragma once

#include <stdint.h>
#include "interposer/core/thread.h"

struct sc_head;
struct sc_plane_slot;

struct sc_recording_thread {
	struct sc_plane_slot *plane; /* in which the launch that it makes is recorded, or NULL */
	struct sc_head *head;	     /* the same of a graph's launch */
	uint64_t nodes_of;	     /* the launch whose nodes are begun: its op + 1 */
	uint32_t nodes_begun;	     /* how many were known by their place */
};

SC_THREAD_STATE(recording)
