/* Translates calls of CUDA 11 and 12 into today's driver calls. */
#include "simulator/runtime/forms.h"

#include <stdint.h>
#include <stdlib.h>

#include "simulator/runtime/memory.h"

/* The two calls for several semaphores differ in the names of their types alone, and in `more`, the
 * member that only a wait has. */
#define SEMAPHORE_CALL(name, form, wide_form, call, more)                             \
	CUresult name(const struct rt_calls *cu, const cudaExternalSemaphore_t *list, \
		      const form *values, unsigned int count, cudaStream_t stream)    \
	{                                                                             \
		wide_form *wide;                                                      \
		CUresult err;                                                         \
                                                                                      \
		if (!list || !values || !count)                                       \
			return CUDA_ERROR_INVALID_VALUE;                              \
		wide = calloc(count, sizeof(*wide));                                  \
		if (!wide)                                                            \
			return CUDA_ERROR_OUT_OF_MEMORY;                              \
		for (unsigned int i = 0; i < count; i++) {                            \
			wide[i].params.fence.value = values[i].fence;                 \
			wide[i].params.nvSciSync.reserved = values[i].nvsci;          \
			wide[i].params.keyedMutex.key = values[i].key;                \
			wide[i].flags = values[i].flags;                              \
			more;                                                         \
		}                                                                     \
		err = cu->call((void *)list, wide, count, stream);                    \
		free(wide);                                                           \
		return err;                                                           \
	}

SEMAPHORE_CALL(rt_semaphore_signal, struct rt_signal, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
	       cuSignalExternalSemaphoresAsync, )
SEMAPHORE_CALL(rt_semaphore_wait, struct rt_wait, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
	       cuWaitExternalSemaphoresAsync,
	       wide[i].params.keyedMutex.timeoutMs = values[i].timeout_ms)

CUmemLocation rt_location_of(int device)
{
	struct cudaMemLocation place = {.type = cudaMemLocationTypeDevice, .id = device};

	if (device == cudaCpuDeviceId)
		place = (struct cudaMemLocation){.type = cudaMemLocationTypeHost};
	return rt_location(place);
}

CUresult rt_batch_result(CUresult result, size_t *failed)
{
	if (result && failed)
		*failed = SIZE_MAX;
	return result;
}

CUresult rt_double(const double *value)
{
	return value ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult rt_graph_instantiate(const struct rt_calls *cu, cudaGraphExec_t *exec, cudaGraph_t graph,
			      cudaGraphNode_t *failed, char *log, size_t bytes)
{
	if (failed)
		*failed = NULL;
	if (log && bytes)
		*log = '\0';
	return cu->cuGraphInstantiateWithFlags(exec, graph, 0);
}

CUresult rt_graph_update(const struct rt_calls *cu, cudaGraphExec_t exec, cudaGraph_t graph,
			 cudaGraphNode_t *failed, enum cudaGraphExecUpdateResult *result)
{
	CUgraphExecUpdateResultInfo found = {0};
	CUresult err = cu->cuGraphExecUpdate(exec, graph, &found);

	if (failed)
		*failed = found.errorNode;
	if (result)
		*result = (enum cudaGraphExecUpdateResult)found.result;
	return err;
}
