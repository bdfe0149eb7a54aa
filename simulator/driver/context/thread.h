/* What the driver knows of one host thread: context stack, per-thread streams, callback state. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#define SIM_CONTEXT_DEPTH 64

struct sim_thread {
	uint64_t id;		  /* 0 until first used; never used twice */
	bool is_in_callback;	  /* runs a host function: CUDA calls are not permitted (C-4) */
	bool is_untold;		  /* runs a stream callback, of whose calls tools get no notice */
	bool per_thread;	  /* the running call is a _ptsz or _ptds form */
	unsigned int correlation; /* of the running call (observe.h) */
	CUstreamCaptureMode mode; /* cuThreadExchangeStreamCaptureMode */
	unsigned int depth;
	CUcontext stack[SIM_CONTEXT_DEPTH]; /* borrowed; the last is current */
};

/* The calling thread's record. */
struct sim_thread *sim_thread_self(void);

/* The current context, or NULL. */
CUcontext sim_thread_context(void);
