/* Execution contexts of the runtime: which green context each handle is of. */
#include "simulator/runtime/execution.h"

#include <stdlib.h>

#include "simulator/runtime/context.h"
#include "simulator/runtime/lock.h"
#include "simulator/runtime/properties.h"

struct green {
	CUcontext context; /* the driver's, made from the green context: what the program has */
	CUgreenCtx green;
	int device;
	struct green *next;
};

static struct green *greens; /* owned, under the lock */

/* A copy of the entry, all 0 for a device's own context. */
static struct green find(cudaExecutionContext_t context)
{
	struct green found = {0};

	rt_lock();
	for (const struct green *g = greens; g; g = g->next)
		if (g->context == (CUcontext)context)
			found = *g;
	rt_unlock();
	return found;
}

CUresult rt_execution_of_device(cudaExecutionContext_t *context, int device)
{
	return context ? rt_context_primary(device, (CUcontext *)context)
		       : CUDA_ERROR_INVALID_VALUE;
}

static CUresult make(const struct rt_calls *cu, struct green *g, CUdevResourceDesc description)
{
	CUresult err = cu->cuGreenCtxCreate(&g->green, description, rt_device_handle(g->device),
					    CU_GREEN_CTX_DEFAULT_STREAM);

	if (err)
		return err;
	err = cu->cuCtxFromGreenCtx(&g->context, g->green);
	if (err)
		cu->cuGreenCtxDestroy(g->green);
	return err;
}

CUresult rt_execution_create(const struct rt_calls *cu, cudaExecutionContext_t *context,
			     CUdevResourceDesc description, int device, unsigned int flags)
{
	struct green *g;
	CUresult err;

	if (!context || flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (!rt_device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	g = calloc(1, sizeof(*g));
	if (!g)
		return CUDA_ERROR_OUT_OF_MEMORY;
	g->device = device;
	err = make(cu, g, description);
	if (err) {
		free(g);
		return err;
	}
	rt_lock();
	g->next = greens;
	greens = g;
	rt_unlock();
	*context = (cudaExecutionContext_t)g->context;
	return CUDA_SUCCESS;
}

CUresult rt_execution_destroy(const struct rt_calls *cu, cudaExecutionContext_t context)
{
	struct green **place, *gone = NULL;
	CUresult err = CUDA_ERROR_INVALID_VALUE;

	rt_lock();
	for (place = &greens; *place && !gone; place = gone ? place : &(*place)->next) {
		if ((*place)->context == (CUcontext)context) {
			gone = *place;
			*place = gone->next;
		}
	}
	rt_unlock();
	if (gone)
		err = cu->cuGreenCtxDestroy(gone->green);
	free(gone);
	return err;
}

/* Makes a device's own context current for one question. */
static CUresult enter(const struct rt_calls *cu, cudaExecutionContext_t context)
{
	return context ? cu->cuCtxPushCurrent((CUcontext)context) : CUDA_ERROR_INVALID_VALUE;
}

static void leave(const struct rt_calls *cu)
{
	CUcontext popped;

	cu->cuCtxPopCurrent(&popped);
}

CUresult rt_execution_stream(const struct rt_calls *cu, cudaStream_t *stream,
			     cudaExecutionContext_t context, unsigned int flags, int priority)
{
	struct green g = find(context);
	CUresult err;

	if (flags & ~(unsigned int)cudaStreamNonBlocking)
		return CUDA_ERROR_INVALID_VALUE;
	if (g.green)
		return cu->cuGreenCtxStreamCreate(stream, g.green, CU_STREAM_NON_BLOCKING,
						  priority);
	err = enter(cu, context);
	if (!err) {
		err = cu->cuStreamCreateWithPriority(stream, flags, priority);
		leave(cu);
	}
	return err;
}

CUresult rt_execution_wait(const struct rt_calls *cu, cudaExecutionContext_t context)
{
	CUresult err = enter(cu, context);

	if (!err) {
		err = cu->cuCtxSynchronize();
		leave(cu);
	}
	return err;
}

CUresult rt_execution_device(const struct rt_calls *cu, int *device, cudaExecutionContext_t context)
{
	struct green g = find(context);
	CUdevice handle = 0;
	CUresult err;

	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	*device = g.device;
	if (g.green)
		return CUDA_SUCCESS;
	err = enter(cu, context);
	if (!err) {
		err = cu->cuCtxGetDevice(&handle);
		leave(cu);
		*device = rt_device_ordinal(handle);
	}
	return err;
}

CUresult rt_execution_resource(const struct rt_calls *cu, cudaExecutionContext_t context,
			       CUdevResource *resource, CUdevResourceType type)
{
	struct green g = find(context);
	int device;
	CUresult err;

	if (g.green)
		return cu->cuGreenCtxGetDevResource(g.green, resource, type);
	err = rt_execution_device(cu, &device, context);
	return err ? err : cu->cuDeviceGetDevResource(rt_device_handle(device), resource, type);
}
