/* The context functions of the API: the stack of current contexts, primary contexts, limits. */
#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/capture.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/context/thread.h"
#include "simulator/driver/tool/tool.h"

#define KNOWN_FLAGS                                                        \
	(CU_CTX_SCHED_MASK | CU_CTX_MAP_HOST | CU_CTX_LMEM_RESIZE_TO_MAX | \
	 CU_CTX_COREDUMP_ENABLE | CU_CTX_USER_COREDUMP_ENABLE | CU_CTX_SYNC_MEMOPS)

static CUresult push(CUcontext context)
{
	struct sim_thread *thread = sim_thread_self();

	if (thread->depth == SIM_CONTEXT_DEPTH)
		return CUDA_ERROR_OUT_OF_MEMORY;
	thread->stack[thread->depth++] = context;
	return CUDA_SUCCESS;
}

static bool is_live(CUcontext context)
{
	return sim_handle_is(context, SIM_KIND_CONTEXT);
}

/* NULL stands for the current context; not yet checked for errors of its own. */
static CUresult get_context(CUcontext handle, CUcontext *context)
{
	*context = handle ? handle : sim_thread_context();
	if (!*context)
		return CUDA_ERROR_INVALID_CONTEXT;
	return is_live(*context) ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

static CUresult create(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
	struct sim_device *device = sim_device_get(dev);
	CUresult result;

	if (!pctx || (flags & ~(unsigned int)KNOWN_FLAGS))
		return CUDA_ERROR_INVALID_VALUE;
	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	result = sim_context_new(device, flags, pctx);
	if (result != CUDA_SUCCESS)
		return result;
	result = push(*pctx);
	if (result != CUDA_SUCCESS)
		sim_context_free(*pctx);
	return result;
}

CUresult sim_cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
	return create(pctx, flags, dev);
}

CUresult sim_cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams,
			    unsigned int flags, CUdevice dev)
{
	if (numParams || paramsArray)
		return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
	return create(pctx, flags, dev);
}

CUresult sim_cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags,
			    CUdevice dev)
{
	if (ctxCreateParams &&
	    (ctxCreateParams->numExecAffinityParams || ctxCreateParams->cigParams))
		return sim_call_unsupported("cuCtxCreate with parameters");
	return create(pctx, flags, dev);
}

CUresult sim_cuCtxDestroy_v2(CUcontext ctx)
{
	struct sim_thread *thread = sim_thread_self();

	if (!is_live(ctx) || ctx->is_primary || ctx->base)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (sim_tool())
		sim_tool()->end_context(ctx);
	if (!is_live(ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (sim_thread_context() == ctx)
		thread->depth--;
	sim_context_free(ctx);
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxDetach(CUcontext ctx)
{
	return sim_cuCtxDestroy_v2(ctx);
}

CUresult sim_cuCtxPushCurrent_v2(CUcontext ctx)
{
	return is_live(ctx) ? push(ctx) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult sim_cuCtxPopCurrent_v2(CUcontext *pctx)
{
	struct sim_thread *thread = sim_thread_self();

	if (!thread->depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	thread->depth--;
	if (pctx)
		*pctx = thread->stack[thread->depth];
	return CUDA_SUCCESS;
}

/* Replaces the top of the stack; NULL pops it. */
CUresult sim_cuCtxSetCurrent(CUcontext ctx)
{
	struct sim_thread *thread = sim_thread_self();

	if (!ctx) {
		thread->depth -= thread->depth > 0;
		return CUDA_SUCCESS;
	}
	if (!is_live(ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!thread->depth)
		return push(ctx);
	thread->stack[thread->depth - 1] = ctx;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetCurrent(CUcontext *pctx)
{
	if (!pctx)
		return CUDA_ERROR_INVALID_VALUE;
	*pctx = sim_thread_context();
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx)
{
	CUcontext context;
	CUresult result = get_context(ctx, &context);

	if (result != CUDA_SUCCESS)
		return result;
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	*device = context->device->ordinal;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetDevice(CUdevice *device)
{
	return sim_cuCtxGetDevice_v2(device, NULL);
}

CUresult sim_cuCtxGetFlags(unsigned int *flags)
{
	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = sim_thread_context()->flags;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxSetFlags(unsigned int flags)
{
	if (flags & ~(unsigned int)KNOWN_FLAGS)
		return CUDA_ERROR_INVALID_VALUE;
	sim_thread_context()->flags = flags;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetId(CUcontext ctx, unsigned long long *ctxId)
{
	CUcontext context;
	CUresult result = get_context(ctx, &context);

	if (result != CUDA_SUCCESS)
		return result;
	if (!ctxId)
		return CUDA_ERROR_INVALID_VALUE;
	*ctxId = context->id;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
	CUcontext context;
	CUresult result = get_context(ctx, &context);

	if (result != CUDA_SUCCESS)
		return result;
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = 3020;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxSynchronize_v2(CUcontext ctx)
{
	CUcontext context;
	CUresult result = get_context(ctx, &context);

	if (result == CUDA_SUCCESS)
		result = sim_context_check(context);
	if (result == CUDA_SUCCESS)
		result = sim_capture_check_context(context);
	return result == CUDA_SUCCESS ? sim_context_wait(context) : result;
}

CUresult sim_cuCtxSynchronize(void)
{
	return sim_cuCtxSynchronize_v2(NULL);
}

static bool is_limit(CUlimit limit)
{
	return (unsigned int)limit < CU_LIMIT_MAX && (unsigned int)limit < SIM_LIMITS;
}

/* The queue for printing and the heap have their sizes from when kernels first use them. */
static bool is_in_use(CUlimit limit)
{
	CUcontext home = sim_context_home(sim_thread_context());

	return (limit == CU_LIMIT_PRINTF_FIFO_SIZE && sim_output_is_used(&home->output)) ||
	       (limit == CU_LIMIT_MALLOC_HEAP_SIZE && home->heap);
}

CUresult sim_cuCtxSetLimit(CUlimit limit, size_t value)
{
	if (!is_limit(limit))
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	if (is_in_use(limit))
		return CUDA_ERROR_INVALID_VALUE;
	sim_thread_context()->limits[limit] = value;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
	if (!pvalue)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_limit(limit))
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	*pvalue = sim_thread_context()->limits[limit];
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetCacheConfig(CUfunc_cache *pconfig)
{
	if (!pconfig)
		return CUDA_ERROR_INVALID_VALUE;
	*pconfig = sim_thread_context()->cache_config;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxSetCacheConfig(CUfunc_cache config)
{
	if (config > CU_FUNC_CACHE_PREFER_EQUAL)
		return CUDA_ERROR_INVALID_VALUE;
	sim_thread_context()->cache_config = config;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetSharedMemConfig(CUsharedconfig *pConfig)
{
	if (!pConfig)
		return CUDA_ERROR_INVALID_VALUE;
	*pConfig = sim_thread_context()->shared_config;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxSetSharedMemConfig(CUsharedconfig config)
{
	if (config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
		return CUDA_ERROR_INVALID_VALUE;
	sim_thread_context()->shared_config = config;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxResetPersistingL2Cache(void)
{
	return CUDA_SUCCESS;
}

/* All devices reach each other; the rights are kept so that their errors are right. */
CUresult sim_cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
	CUcontext context = sim_thread_context();
	uint64_t bit;

	if (Flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_live(peerContext))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (peerContext->device == context->device)
		return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
	bit = 1ull << peerContext->device->ordinal;
	if (context->peers & bit)
		return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
	context->peers |= bit;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxDisablePeerAccess(CUcontext peerContext)
{
	CUcontext context = sim_thread_context();
	uint64_t bit;

	if (!is_live(peerContext))
		return CUDA_ERROR_INVALID_CONTEXT;
	bit = 1ull << peerContext->device->ordinal;
	if (!(context->peers & bit))
		return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
	context->peers &= ~bit;
	return CUDA_SUCCESS;
}

CUresult sim_cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
	struct sim_device *device = sim_device_get(dev);
	CUresult result;

	if (!pctx)
		return CUDA_ERROR_INVALID_VALUE;
	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	result = sim_context_primary(device, pctx);
	if (result == CUDA_SUCCESS)
		device->primary_refs++;
	return result;
}

CUresult sim_cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
	struct sim_device *device = sim_device_get(dev);

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!device->primary_refs)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (device->primary_refs == 1 && sim_tool())
		sim_tool()->end_context(device->primary);
	if (device->primary_refs && --device->primary_refs == 0)
		sim_context_end_primary(device);
	return CUDA_SUCCESS;
}

/* Retains stay counted; the context is empty and inactive until somebody retains it again. */
CUresult sim_cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
	struct sim_device *device = sim_device_get(dev);

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	if (sim_tool())
		sim_tool()->end_context(device->primary);
	sim_context_end_primary(device);
	return CUDA_SUCCESS;
}

CUresult sim_cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
	struct sim_device *device = sim_device_get(dev);

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	if (flags & ~(unsigned int)KNOWN_FLAGS)
		return CUDA_ERROR_INVALID_VALUE;
	device->primary_flags = flags;
	if (device->primary && is_live(device->primary))
		device->primary->flags = flags;
	return CUDA_SUCCESS;
}

CUresult sim_cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
	struct sim_device *device = sim_device_get(dev);

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	if (flags)
		*flags = device->primary_flags;
	if (active)
		*active = device->primary && is_live(device->primary);
	return CUDA_SUCCESS;
}
