/* Contexts: what is current, what belongs to it, its sticky error.
 *
 * A device has one primary context, kept for the process's life and activated by the first retain;
 * cuCtxCreate makes further ones. Ordering between streams is per context (rule S-7).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "simulator/driver/driver.h"
#include "simulator/driver/kernel/output.h"

#define SIM_LIMITS 16

struct CUctx_st {
	uint64_t id;
	struct sim_device *device;
	unsigned int flags;
	bool is_primary;
	bool is_announced; /* to the tool (tool.h) */
	CUcontext base;	   /* borrowed; made from a green context: the primary context it uses, or
			      NULL */
	uint64_t green;	   /* then: the id of that green context */
	CUresult error;	   /* sticky; CUDA_SUCCESS while all is well */
	CUstream legacy;   /* owned */
	CUstream streams;  /* owned; all others, linked by `next` */
	size_t retired;	   /* of them: destroyed, and with work that is not done */
	uint64_t peers;	   /* bit per device whose memory this context may use */
	size_t limits[SIM_LIMITS];
	struct sim_output output; /* of its kernels */
	struct sim_heap *heap;	  /* owned; for its kernels, NULL before one allocates */
	CUfunc_cache cache_config;
	CUsharedconfig shared_config;
	CUmodule modules; /* owned; linked by `next` */
	CUcontext next;
};

/* All live contexts, linked by `next`. */
CUcontext sim_context_first(void);

/* A new context of a device, not current to anybody. */
CUresult sim_context_new(struct sim_device *device, unsigned int flags, CUcontext *context);

/* Waits for everything in the context, then frees what belongs to it and the context itself. */
void sim_context_free(CUcontext context);

/* Whether calls may use the context: alive, without a sticky error. */
CUresult sim_context_check(CUcontext context);

/* Waits for all its streams; the answer is its sticky error. */
CUresult sim_context_wait(CUcontext context);

/* Its heap, made when a kernel first needs it; NULL: out of memory, or the limit is too small. */
struct sim_heap *sim_context_heap(CUcontext context);

/* Writes what its kernels have printed, of no context nothing; drops the lock meanwhile. */
void sim_context_print(CUcontext context);

/* The context whose resources it uses: the base of one made from a green context, else itself. */
static inline CUcontext sim_context_home(CUcontext context)
{
	return context && context->base ? context->base : context;
}

/* The device's primary context, activated if need be; does not count as a retain. */
CUresult sim_context_primary(struct sim_device *device, CUcontext *context);

/* Everything in the device's primary context ends; its handle is the same if it comes back. */
void sim_context_end_primary(struct sim_device *device);
