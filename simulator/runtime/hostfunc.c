/* Wraps the program's host functions in trampolines that refuse CUDA calls inside. */
#include "simulator/runtime/hostfunc.h"

#include <stdlib.h>

#include "simulator/runtime/entry.h"
#include "simulator/runtime/lock.h"

struct once {
	cudaHostFn_t function;
	cudaStreamCallback_t callback;
	void *argument; /* borrowed from the program */
};

struct shared {
	cudaHostFn_t function;
	void *argument;	     /* borrowed from the program */
	struct shared *next; /* owned */
};

static struct shared *shared_records; /* under the lock, never shrinks */

static void run_once(void *data)
{
	struct once once = *(struct once *)data;

	free(data);
	rt_callback_begin();
	once.function(once.argument);
	rt_callback_end();
}

static void run_callback(CUstream stream, CUresult status, void *data)
{
	struct once once = *(struct once *)data;

	free(data);
	rt_callback_begin();
	once.callback(stream, (cudaError_t)status, once.argument);
	rt_callback_end();
}

static void run_shared(void *data)
{
	const struct shared *record = data;

	rt_callback_begin();
	record->function(record->argument);
	rt_callback_end();
}

/* Runs under the lock. */
static struct shared *find_or_add(cudaHostFn_t function, void *argument)
{
	struct shared *record;

	for (record = shared_records; record; record = record->next) {
		if (record->function == function && record->argument == argument)
			return record;
	}
	record = malloc(sizeof(*record));
	if (record) {
		*record = (struct shared){function, argument, shared_records};
		shared_records = record;
	}
	return record;
}

static struct shared *share(cudaHostFn_t function, void *argument)
{
	struct shared *record;

	rt_lock();
	record = find_or_add(function, argument);
	rt_unlock();
	return record;
}

static CUresult launch_shared(const struct rt_calls *cu, cudaStream_t stream, cudaHostFn_t function,
			      void *argument)
{
	struct shared *record = share(function, argument);

	if (!record)
		return CUDA_ERROR_OUT_OF_MEMORY;
	return cu->cuLaunchHostFunc(stream, run_shared, record);
}

static CUresult launch_once(const struct rt_calls *cu, cudaStream_t stream, cudaHostFn_t function,
			    void *argument)
{
	struct once *once = calloc(1, sizeof(*once));
	CUresult err;

	if (!once)
		return CUDA_ERROR_OUT_OF_MEMORY;
	once->function = function;
	once->argument = argument;
	err = cu->cuLaunchHostFunc(stream, run_once, once);
	if (err)
		free(once);
	return err;
}

/*
 * A captured host function runs at every launch of its graph. Whether the stream is being captured
 * only the driver knows, since capture may begin below this runtime; the query changes nothing.
 */
CUresult rt_launch_host_func(const struct rt_calls *cu, cudaStream_t stream, cudaHostFn_t function,
			     void *argument)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

	if (!function)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cu->cuStreamIsCapturing(stream, &status) && status != CU_STREAM_CAPTURE_STATUS_NONE)
		return launch_shared(cu, stream, function, argument);
	return launch_once(cu, stream, function, argument);
}

/* Callbacks cannot be captured, so each runs at most once. */
CUresult rt_add_callback(const struct rt_calls *cu, cudaStream_t stream,
			 cudaStreamCallback_t function, void *argument, unsigned int flags)
{
	struct once *once;
	CUresult err;

	if (!function)
		return CUDA_ERROR_INVALID_VALUE;
	once = calloc(1, sizeof(*once));
	if (!once)
		return CUDA_ERROR_OUT_OF_MEMORY;
	once->callback = function;
	once->argument = argument;
	err = cu->cuStreamAddCallback(stream, run_callback, once, flags);
	if (err)
		free(once);
	return err;
}

CUresult rt_host_node_wrap(const struct cudaHostNodeParams *wanted, CUDA_HOST_NODE_PARAMS *node)
{
	if (!wanted || !wanted->fn)
		return CUDA_ERROR_INVALID_VALUE;
	node->fn = run_shared;
	node->userData = share(wanted->fn, wanted->userData);
	return node->userData ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

void rt_host_node_unwrap(const CUDA_HOST_NODE_PARAMS *node, struct cudaHostNodeParams *wanted)
{
	const struct shared *record = node->userData;

	if (node->fn == run_shared) {
		wanted->fn = record->function;
		wanted->userData = record->argument;
		return;
	}
	wanted->fn = node->fn;
	wanted->userData = node->userData;
}
