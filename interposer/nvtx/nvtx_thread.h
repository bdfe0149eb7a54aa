/* What is kept of each thread's NVTX ranges. */
#pragma once

#include <stdint.h>
#include "interposer/core/thread.h"

struct sc_nvtx_thread {
	uint32_t ranges;      /* that it has entered */
	uint32_t windows;     /* the same, in the domain of the windows */
	uint64_t window_bits; /* which of them, from the outermost on, are windows */
};

SC_THREAD_STATE(nvtx)
