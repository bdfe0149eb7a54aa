/* Opens and closes every public call, and keeps the calling thread's last error. */
#include "simulator/runtime/entry.h"

#include <errno.h>

#include "simulator/runtime/api.h"
#include "simulator/runtime/context.h"

static _Thread_local cudaError_t last_error;
static _Thread_local unsigned int callback_depth;

static cudaError_t prepare(enum rt_need need)
{
	cudaError_t error;

	if (callback_depth)
		return cudaErrorNotPermitted;
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
		.may_retry = need == RT_CONTEXT,
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
	return rt_context_rebind();
}

cudaError_t rt_leave(const struct rt_entry *entry)
{
	if (entry->error)
		last_error = entry->error;
	errno = entry->saved_errno;
	return entry->error;
}

/* Errors after which the context is unusable; the driver repeats them until it is reset. */
static bool is_sticky(cudaError_t error)
{
	return error == cudaErrorIllegalAddress || error == cudaErrorLaunchTimeout ||
	       error == cudaErrorAssert ||
	       (error >= cudaErrorHardwareStackError && error <= cudaErrorLaunchFailure) ||
	       error == cudaErrorECCUncorrectable || error == cudaErrorNvlinkUncorrectable;
}

void rt_entry_clear_error(void)
{
	last_error = cudaSuccess;
}

void rt_callback_begin(void)
{
	callback_depth++;
}

void rt_callback_end(void)
{
	callback_depth--;
}

RT_EXPORT cudaError_t cudaGetLastError(void)
{
	cudaError_t error = last_error;

	if (!is_sticky(error))
		last_error = cudaSuccess;
	return error;
}

RT_EXPORT cudaError_t cudaPeekAtLastError(void)
{
	return last_error;
}
