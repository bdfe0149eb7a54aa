/*
 * What every public function does before and after its work.
 *
 * On entry: open the driver and, if the function needs one, give the thread a current context. On
 * exit: remember the error for cudaGetLastError and restore errno. All state is the calling
 * thread's own; an entry costs two loads and no lock.
 *
 * Inside a host function the driver refuses to return the current context, so that every function
 * which needs one fails with cudaErrorNotPermitted before it does anything (S-8).
 */
#pragma once

#include "simulator/runtime/driver.h"

/* What a function needs before it may talk to the driver. */
enum rt_need {
	RT_NOTHING, /* answers without the driver */
	RT_DRIVER,  /* the driver opened, no context */
	RT_CONTEXT, /* a current context as well */
};

struct rt_entry {
	const struct rt_calls *cu;
	cudaError_t error;
	int saved_errno;
	bool may_retry; /* the call may be repeated once with a new context */
};

struct rt_entry rt_enter(enum rt_flavour flavour, enum rt_need need);

/*
 * True if the call that just failed is worth repeating: the thread had lost its context, because
 * the program popped it through the driver API, and has now got it back.
 */
bool rt_entry_retry(struct rt_entry *entry, CUresult result);

/* Records the outcome and returns it. */
cudaError_t rt_leave(const struct rt_entry *entry);
