/* Calls of CUDA 11 and 12 in forms that 13 no longer has. */
#pragma once

#include "simulator/runtime/driver.h"

/* What a semaphore is signalled with, and waited for, in the first form. */
struct rt_signal {
	unsigned long long fence;
	unsigned long long nvsci;
	unsigned long long key;
	unsigned int flags;
};

struct rt_wait {
	unsigned long long fence;
	unsigned long long nvsci;
	unsigned long long key;
	unsigned int timeout_ms;
	unsigned int flags;
};

CUresult rt_semaphore_signal(const struct rt_calls *cu, const cudaExternalSemaphore_t *list,
			     const struct rt_signal *values, unsigned int count,
			     cudaStream_t stream);
CUresult rt_semaphore_wait(const struct rt_calls *cu, const cudaExternalSemaphore_t *list,
			   const struct rt_wait *values, unsigned int count, cudaStream_t stream);

/* The place that a device number means; cudaCpuDeviceId is the host. */
CUmemLocation rt_location_of(int device);

/* Ends a batch of copies: it does not say which copy failed, if one did. Returns the result. */
CUresult rt_batch_result(CUresult result, size_t *failed);

/* A number that devices without double precision would have rounded; none is left. */
CUresult rt_double(const double *value);

/* The log stays empty, no node is named: the result alone says why. */
CUresult rt_graph_instantiate(const struct rt_calls *cu, cudaGraphExec_t *exec, cudaGraph_t graph,
			      cudaGraphNode_t *failed, char *log, size_t bytes);
CUresult rt_graph_update(const struct rt_calls *cu, cudaGraphExec_t exec, cudaGraph_t graph,
			 cudaGraphNode_t *failed, enum cudaGraphExecUpdateResult *result);
