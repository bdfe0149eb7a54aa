/* What is kept of each thread to find its Python lines. */
#pragma once

#include <stdint.h>
#include "interposer/core/thread.h"

struct sc_python_frame_cache;
struct sc_python_text;

struct sc_python_thread {
	struct sc_python_text *text;	      /* owned, made on first use (depot.c) */
	struct sc_python_frame_cache *frames; /* the same (frame_cache.c) */
	uint64_t frame; /* of the thread that forked the region it is in (openmp.c), or 0 */
};

SC_THREAD_STATE(python)
