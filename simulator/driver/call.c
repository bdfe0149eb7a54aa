/* Entering and leaving the driver. */
#include "simulator/driver/call.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "simulator/driver/graph/capture.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/tool/observe.h"
#include "simulator/driver/schedule/pair.h"
#include "simulator/driver/schedule/schedule.h"
#include "simulator/driver/context/thread.h"
#include "simulator/driver/tool/tool.h"

#define MAX_NAMED 1024

/* The checks that need no lock. */
static CUresult check_process(const struct sim_call *call, const struct sim_thread *thread)
{
	if (call->class == SIM_CLASS_ANY)
		return CUDA_SUCCESS;
	if (atomic_load(&sim_driver.exiting))
		return CUDA_ERROR_DEINITIALIZED;
	if (atomic_load(&sim_driver.forked))
		return CUDA_ERROR_NOT_INITIALIZED;
	if (thread->is_in_callback && call->class != SIM_CLASS_QUERY)
		return CUDA_ERROR_NOT_PERMITTED;
	if (call->class >= SIM_CLASS_INIT && !atomic_load(&sim_driver.initialized))
		return CUDA_ERROR_NOT_INITIALIZED;
	return CUDA_SUCCESS;
}

static CUresult check_context(const struct sim_call *call)
{
	CUresult result;

	if (call->class < SIM_CLASS_CONTEXT)
		return CUDA_SUCCESS;
	result = sim_context_check(sim_thread_context());
	if (result != CUDA_SUCCESS || call->class != SIM_CLASS_UNSAFE)
		return result;
	return sim_capture_check_unsafe();
}

CUresult sim_call_enter(struct sim_call *call)
{
	struct sim_thread *thread;
	CUresult result;

	call->saved_errno = errno;
	thread = sim_thread_self();
	sim_observe_enter(call, thread);
	result = check_process(call, thread);
	if (result != CUDA_SUCCESS || call->class == SIM_CLASS_ANY)
		return result;
	sim_lock();
	call->is_locked = true;
	thread->per_thread = call->per_thread;
	return check_context(call);
}

CUresult sim_call_leave(struct sim_call *call, CUresult result)
{
	if (call->is_locked) {
		if (result == CUDA_SUCCESS && sim_tool())
			sim_tool()->settle();
		if (!sim_thread_self()->is_in_callback) {
			sim_pair_settle();
			sim_schedule_settle();
		}
		sim_unlock();
	}
	sim_observe_leave(call, result);
	errno = call->saved_errno;
	return result;
}

/* True for the first caller with that literal. */
static bool is_first(const char *what)
{
	static const char *_Atomic named[MAX_NAMED];
	const char *seen;
	int i;

	for (i = 0; i < MAX_NAMED; i++) {
		seen = NULL;
		if (atomic_compare_exchange_strong(&named[i], &seen, what))
			return true;
		if (strcmp(seen, what) == 0)
			return false;
	}
	return false;
}

CUresult sim_call_missing(const char *symbol)
{
	return sim_call_unsupported(symbol);
}

void sim_call_say(const char *line, int length)
{
	int saved_errno = errno;

	if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
		errno = saved_errno; /* a closed stderr changes nothing for the caller */
	errno = saved_errno;
}

CUresult sim_call_unsupported(const char *what)
{
	char line[256];

	if (is_first(what))
		sim_call_say(line, snprintf(line, sizeof(line),
					    "simulated device: %s is not supported\n", what));
	return CUDA_ERROR_NOT_SUPPORTED;
}
