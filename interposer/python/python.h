/* Python: the lines that the interpreter was executing when a CUDA call was made, or host memory
 * touched.
 *
 * A thread that holds the interpreter's lock asks the interpreter (c_api.h). Any other, and
 * signal handlers, read the thread's own frames in memory (frame_reader.h), but only once this
 * process has shown that what is read is what the interpreter answers, and never otherwise since:
 * of SC_PYTHON_PROOFS frames, the outermost of a stack not counted, because nothing was read of
 * where its caller is. Until then those stacks only are read whose outermost frame is one that
 * agreed so often, as a script's top level does that calls CUDA from no function: whatever lies
 * between it and the innermost was found by the callers. What has no lines is counted and said.
 * Without Python, one comparison a call.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "interposer/python/c_api.h"
#include "interposer/python/depot.h"
#include "interposer/python/layout.h"

#define SC_PYTHON_PROOFS 4

struct sc_python {
	atomic_uint state;	    /* enum sc_python_state of python.c */
	_Atomic uint64_t looked;    /* at which of the loader's generations */
	_Atomic uint64_t unlocked;  /* calls without lines, made without the interpreter's lock */
	_Atomic uint64_t accesses;  /* to host memory, without lines */
	atomic_uint agreed;	    /* frames with a caller that were read as reported */
	_Atomic uint64_t outermost; /* stamp of the outermost frame that was read so last */
	atomic_uint outermost_agreed;
	atomic_uint disagreed; /* 1 once one was not */
	struct sc_python_functions functions;
	struct sc_python_layout layout;
	struct sc_python_depot depot;
};

extern struct sc_python sc_python;

/* The stack of the calling thread's Python lines above the C stack `below`; `below` itself if there
 * are none. Not for signal handlers. */
uint32_t sc_python_stack(uint32_t below);
/* True if that is `below` for certain, as long as no file is loaded. */
bool sc_python_is_absent(void);
/* The same where the interpreter must not be asked, as it may be in the middle of anything. */
uint32_t sc_python_stack_of_access(uint32_t below);
/* The same in the signal handler. */
uint32_t sc_python_stack_interrupted(uint32_t below);
/* The innermost frame that the calling thread's lines are read from, 0 if none: what it forks now
 * may take its lines from there (sc_python_thread()->frame) until it goes on. */
uint64_t sc_python_frame(void);
/* To be called now and then by threads that may hold the lock: an occasion to compare. */
void sc_python_compare(void);
