/* Processes and stacks that a program makes without fork() and pthread_create(): _Fork, clone,
 * makecontext. */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <ucontext.h>
#include <unistd.h>
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/guard/unprotected.h"
#include "interposer/core/real.h"

#define EXPORT __attribute__((visibility("default")))

pid_t _Fork(void); /* newer than the C library that this may be built for */

/* Runs no handlers of pthread_atfork, of which one is ours. */
EXPORT pid_t _Fork(void)
{
	typeof(&_Fork) real = SC_REAL(_Fork);
	pid_t child;

	if (!real) {
		errno = ENOSYS;
		return -1;
	}
	child = real();
	if (!child)
		sc_session_forget();
	return child;
}

struct birth {
	int (*function)(void *);
	void *argument;
};

/* In a copy of the process: the parent's frame was copied too. */
static int begin(void *data)
{
	const struct birth *birth = data;

	sc_session_forget();
	return birth->function(birth->argument);
}

EXPORT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	struct birth birth = {function, argument};
	void *parent, *descriptor, *child;
	va_list rest;

	va_start(rest, argument);
	parent = va_arg(rest, void *);
	descriptor = va_arg(rest, void *);
	child = va_arg(rest, void *);
	va_end(rest);
	if (!(flags & CLONE_VM))
		return SC_REAL(clone)(begin, stack, flags, &birth, parent, descriptor, child);
	sc_unprotected_mark((uint64_t)stack - 1, 1);
	sc_unprotected_mark((uint64_t)child, flags & CLONE_CHILD_CLEARTID ? sizeof(pid_t) : 0);
	return SC_REAL(clone)(function, stack, flags, argument, parent, descriptor, child);
}
