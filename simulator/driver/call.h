/* What every exported function does around its body: lock, checks, errno.
 *
 * sim_call_enter() refuses calls after exit, after fork, inside host functions and before cuInit
 * and takes the lock; sim_call_leave() undoes it and restores errno. Its class says what a call
 * needs; it stands in the last column of api.def.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

enum sim_class {
	SIM_CLASS_ANY,	   /* may be called at any time, even inside a host function */
	SIM_CLASS_BARE,	   /* does not need cuInit */
	SIM_CLASS_INIT,	   /* needs cuInit */
	SIM_CLASS_QUERY,   /* the same, and is permitted inside host functions */
	SIM_CLASS_CONTEXT, /* needs a current context without a sticky error */
	SIM_CLASS_UNSAFE,  /* the same, and is prohibited while capturing (rule G-5) */
};

struct sim_call {
	enum sim_class class;
	bool per_thread; /* the _ptsz or _ptds form: stream 0 is the per-thread stream */
	bool is_locked;
	bool is_told; /* a tool was notified that it began */
	int saved_errno;
	/* What a tool gets to know of the call (observe.h). */
	const char *symbol;
	unsigned int callback; /* CUPTI's number of the entry point, 0 if it has none */
	void *params;	       /* its struct of generated_cuda_meta.h, or NULL */
	unsigned int correlation;
	uint64_t tool_data; /* the tool's, from the call's beginning to its end */
};

CUresult sim_call_enter(struct sim_call *call);
CUresult sim_call_leave(struct sim_call *call, CUresult result);

/* The answer of an entry point without a body; names it on stderr the first time. */
CUresult sim_call_missing(const char *symbol);

/* The same for a feature of an entry point that has a body; `what` must be a literal. */
CUresult sim_call_unsupported(const char *what);

/* Writes a line to stderr. */
void sim_call_say(const char *line, int length);
