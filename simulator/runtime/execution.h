/*
 * Execution contexts: a device's own, which is its primary context, and green contexts. Their
 * handles are contexts of the driver, which makes one of a green context; nodes of graphs take them
 * as they are.
 */
#pragma once

#include "simulator/runtime/driver.h"

CUresult rt_execution_of_device(cudaExecutionContext_t *context, int device);

/* Makes a green context of the resources. Only what was made so may be destroyed. */
CUresult rt_execution_create(const struct rt_calls *cu, cudaExecutionContext_t *context,
			     CUdevResourceDesc description, int device, unsigned int flags);
CUresult rt_execution_destroy(const struct rt_calls *cu, cudaExecutionContext_t context);

/* A stream of a green context never waits for the default stream, whatever the flags are. */
CUresult rt_execution_stream(const struct rt_calls *cu, cudaStream_t *stream,
			     cudaExecutionContext_t context, unsigned int flags, int priority);

/* Blocks until all streams of the context have ended, of a device's those of its green contexts
 * too. */
CUresult rt_execution_wait(const struct rt_calls *cu, cudaExecutionContext_t context);

CUresult rt_execution_device(const struct rt_calls *cu, int *device,
			     cudaExecutionContext_t context);
CUresult rt_execution_resource(const struct rt_calls *cu, cudaExecutionContext_t context,
			       CUdevResource *resource, CUdevResourceType type);
