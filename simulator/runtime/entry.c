/* Opens and closes every public call, and keeps the calling thread's last error. */
#include "simulator/runtime/entry.h"

#include <errno.h>

#include "simulator/runtime/api.h"
#include "simulator/runtime/context.h"

static _Thread_local cudaError_t last_error;

static cudaError_t prepare(enum rt_need need)
{
	cudaError_t error;

	if (need == RT_NOTHING)
		return cudaSuccess;
	error = rt_driver_open();
	if (error || need == RT_DRIVER)
		return error;
	return (cudaError_t)rt_context_bind();
}

struct rt_entry rt_enter(enum rt_flavour flavour, enum rt_need need)
{
	struct rt_entry entry = {
		.saved_errno = errno,
		.cu = rt_driver_calls(flavour),
		.may_retry = need != RT_NOTHING,
	};

	entry.error = prepare(need);
	return entry;
}

bool rt_entry_retry(struct rt_entry *entry, CUresult result)
{
	entry->error = (cudaError_t)result;
	if (result != CUDA_ERROR_INVALID_CONTEXT || !entry->may_retry)
		return false;
	entry->may_retry = false;
	if (!rt_context_rebind())
		return false;
	entry->error = cudaSuccess;
	return true;
}

/* "Not ready" is an answer, which is not kept as an error. */
cudaError_t rt_leave(const struct rt_entry *entry)
{
	if (entry->error && entry->error != cudaErrorNotReady)
		last_error = entry->error;
	errno = entry->saved_errno;
	return entry->error;
}

RT_EXPORT cudaError_t cudaGetLastError(void)
{
	cudaError_t error = last_error;

	last_error = cudaSuccess;
	return error;
}

RT_EXPORT cudaError_t cudaPeekAtLastError(void)
{
	return last_error;
}
