/* System calls, and syscall(): what they do to the program's memory is opened first. */
#include "interposer/libc/system.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include "interposer/libc/async_io.h"
#include "interposer/libc/unmap.h"
#include "interposer/libc/execs.h"
#include "interposer/libc/kills.h"
#include "interposer/libc/acquires.h"
#include "interposer/libc/arguments.h"
#include "interposer/process/shutdown.h"
#include "interposer/libc/effect_rows.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/libc/sigmask.h"
#include "interposer/core/thread.h"
#include "interposer/guard/unprotected.h"
#include "interposer/guard/guard.h"
#include "interposer/libc/signals.h"

#define EXPORT	     __attribute__((visibility("default")))
#define MOST_WAITERS 128 /* of futex_waitv */

/* ---- more than a row can say ---- */

static void effects_of_signal_stack(struct sc_side_effects *e, const uint64_t *a)
{
	stack_t stack;

	if (sc_side_effect_read(e, a[0], &stack, sizeof(stack)))
		sc_unprotected_set_alternate_stack(&stack);
}

static void effects_of_requests(struct sc_side_effects *e, const uint64_t *a)
{
	sc_async_io_effects(e, a[2], a[1]);
}

/* The last argument is a set of signals and its size, in a struct. */
static void effects_of_mask_pair(struct sc_side_effects *e, const uint64_t *a)
{
	uint64_t pair[2];

	if (sc_side_effect_read(e, a[5], pair, sizeof(pair)))
		sc_side_effect_open(e, pair[0], pair[1]);
}

static void effects_of_control(struct sc_side_effects *e, const uint64_t *a)
{
	if ((int)a[1] == F_DUPFD || (int)a[1] == F_DUPFD_CLOEXEC)
		sc_side_effect_make(e, SC_AFTER_MADE, 0);
}

/* libc's own are not seen; libstdc++'s are, and those of C++'s atomics. */
static void effects_of_futex(struct sc_side_effects *e, const uint64_t *a)
{
	switch ((int)a[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_WAKE_OP:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE: sc_side_effect_wake(e, a[0]); return;
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET: sc_side_effect_sleep(e, a[0]);
	}
}

/* The access mode of a pipe's end gives the direction. */
static void effects_of_pipe(struct sc_side_effects *e, const uint64_t *a)
{
	long flags = sc_raw(SYS_fcntl, a[0], F_GETFL, 0, 0, 0, 0);
	bool is_read = (flags & O_ACCMODE) == O_RDONLY;

	if (is_read)
		sc_side_effect_acquire(e, a[0], SC_AFTER_ACQUIRE);
	else
		sc_side_effect_release(e, a[0]);
	sc_side_effect_vector(e, a[1], a[2], is_read);
}

static void effects_of_signal(struct sc_side_effects *e, const uint64_t *a)
{
	(void)e;
	sc_kills_note((int)a[0], (int)a[1]);
}

static void effects_of_descriptor_signal(struct sc_side_effects *e, const uint64_t *a)
{
	(void)e;
	sc_kills_note_descriptor((int)a[0], (int)a[1]);
}

static void effects_of_remote(struct sc_side_effects *e, const uint64_t *a, bool is_write)
{
	e->data = 0;
	if ((pid_t)a[0] == getpid())
		sc_side_effect_vector(e, a[3], a[4], is_write);
	else if (!sc_self.depth) /* the other one gets EFAULT, where no fault is */
		sc_guard_stand_down("page guard: processes read or write each other's memory");
}

static void effects_of_remote_read(struct sc_side_effects *e, const uint64_t *a)
{
	effects_of_remote(e, a, false);
}

static void effects_of_remote_written(struct sc_side_effects *e, const uint64_t *a)
{
	effects_of_remote(e, a, true);
}

static void effects_of_ring(struct sc_side_effects *e, const uint64_t *a)
{
	(void)e;
	(void)a;
	sc_guard_stand_down("page guard: the program uses io_uring");
}

/* struct futex_waitv: value, address, two words. */
static void open_waiters(struct sc_side_effects *e, uint64_t list, uint64_t count)
{
	uint64_t waiter[3];

	for (uint64_t i = 0; i < count && i < MOST_WAITERS; i++) {
		if (!sc_side_effect_read(e, list + i * sizeof(waiter), waiter, sizeof(waiter)))
			return;
		sc_side_effect_open(e, waiter[1], sizeof(int));
	}
}

static void effects_of_waiters(struct sc_side_effects *e, const uint64_t *a)
{
	open_waiters(e, a[0], a[1]);
}

static void effects_of_requeued(struct sc_side_effects *e, const uint64_t *a)
{
	open_waiters(e, a[0], 2);
}

/* struct xattr_args: the value's address, its size. */
static void effects_of_attribute(struct sc_side_effects *e, const uint64_t *a)
{
	uint64_t value[2];

	if (sc_side_effect_read(e, a[4], value, sizeof(value)))
		sc_side_effect_open(e, value[0], (uint32_t)value[1]);
}

/* ---- all of them ---- */

static void effects_of(struct sc_side_effects *e, uint64_t number, const uint64_t *a)
{
	const uint64_t a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], a4 = a[4], a5 = a[5];

	switch (number) {
#define CALL(number, name, effects) \
	case number:                \
		effects break;
#define FILE CALL
#define PLAIN(number, name)
#define GONE(number, name)
#include "interposer/libc/system.def"
#undef CALL
#undef FILE
#undef PLAIN
#undef GONE
	}
}

void sc_system_effects(struct sc_side_effects *e, uint64_t number, const uint64_t *all)
{
	uint64_t a[SC_ARGUMENTS] = {0};

	memcpy(a, all, sc_arguments_of(number, all) * sizeof(*a));
	effects_of(e, number, a);
}

/* ---- syscall() ---- */

/* Calls that end memory, or map it anew, or the program, are recorded as libc's functions of these
 * names are. True if it was one. */
static bool is_end(long number, const uint64_t *a, long *result)
{
	if (number == SYS_exit_group && !sc_self.busy)
		sc_raw(SYS_exit_group, (uint64_t)sc_shutdown((int)a[0]), 0, 0, 0, 0, 0);
	if (number != SYS_execve)
		return sc_unmap_call(number, a, result);
	*result = sc_execs_call(a);
	return true;
}

/* In the child: no handler of pthread_atfork has run. */
static bool is_fork(long number, const uint64_t *a)
{
	uint64_t flags = number == SYS_clone ? a[0] : CLONE_VM;

	if (number == SYS_clone3)
		flags = *(const uint64_t *)a[0];
	return number == SYS_fork || !(flags & CLONE_VM);
}

/* Before a session only what ends within one counts, and what ends children. */
static void effects_of_early(struct sc_side_effects *e, uint64_t number, const uint64_t *a)
{
	enum sc_after after = sc_acquires_call(number);

	if (number == SYS_futex)
		effects_of_futex(e, a);
	else if (number == SYS_kill || number == SYS_rt_sigqueueinfo)
		effects_of_signal(e, a);
	else if (number == SYS_pidfd_send_signal)
		effects_of_descriptor_signal(e, a);
	else if (after)
		sc_side_effect_acquire(e, a[0], after);
}

/* glibc has these since 2.41 and 2.36. They are nothing but the system call, which works with older
 * ones. */
struct sched_attr;
int sched_setattr(pid_t thread, struct sched_attr *attributes, unsigned flags);
int sched_getattr(pid_t thread, struct sched_attr *attributes, unsigned bytes, unsigned flags);

EXPORT int sched_setattr(pid_t thread, struct sched_attr *attributes, unsigned flags)
{
	return (int)syscall(SYS_sched_setattr, thread, attributes, flags);
}

EXPORT int sched_getattr(pid_t thread, struct sched_attr *attributes, unsigned bytes,
			 unsigned flags)
{
	return (int)syscall(SYS_sched_getattr, thread, attributes, bytes, flags);
}

int pidfd_send_signal(int fd, int number, siginfo_t *info, unsigned flags);

EXPORT int pidfd_send_signal(int fd, int number, siginfo_t *info, unsigned flags)
{
	return (int)syscall(SYS_pidfd_send_signal, fd, number, info, flags);
}

EXPORT long syscall(long number, ...)
{
	struct sc_sigmask copies;
	struct sc_side_effects e;
	uint64_t a[6];
	va_list rest;
	long result;

	va_start(rest, number);
	for (unsigned i = 0; i < 6; i++)
		a[i] = va_arg(rest, uint64_t);
	va_end(rest);
	if (is_end(number, a, &result))
		return result;
	sc_side_effect_begin(&e, SC_FAILS_MINUS);
	e.caller = (uint64_t)__builtin_return_address(0);
	if (sc_session_is_live())
		sc_system_effects(&e, (uint64_t)number, a);
	else
		effects_of_early(&e, (uint64_t)number, a);
	sc_sigmask_keep(number, a, &e, &copies);
	if (number != SYS_rt_sigaction || !sc_signals_serve(a, &result))
		result = sc_raw_result(sc_raw(number, a[0], a[1], a[2], a[3], a[4], a[5]));
	if (!result && is_fork(number, a))
		sc_session_forget();
	if (sc_side_effect_is_needed(&e))
		sc_side_effect_end(&e, result);
	return result;
}

int io_submit(unsigned long context, long count, struct iocb **list); /* libaio's */

/* Returns -errno, and leaves errno alone. */
EXPORT int io_submit(unsigned long context, long count, struct iocb **list)
{
	const uint64_t a[6] = {context, (uint64_t)count, (uint64_t)list};
	struct sc_side_effects e;
	long result;

	sc_side_effect_begin(&e, SC_FAILS_MINUS);
	if (sc_session_is_live())
		sc_system_effects(&e, SYS_io_submit, a);
	result = sc_raw(SYS_io_submit, a[0], a[1], a[2], 0, 0, 0);
	if (sc_side_effect_is_needed(&e))
		sc_side_effect_end(&e, result < 0 ? -1 : result);
	return (int)result;
}
