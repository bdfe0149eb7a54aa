/* Waiting with other signals blocked, and masks that threads begin with: handlers that run then may
 * touch what is guarded, so the guard's signals are left out. */
#undef _FORTIFY_SOURCE
#include "interposer/core/safe_read.h"
#include "interposer/libc/sigmask.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "interposer/libc/effect_rows.h"
#include "interposer/core/session.h"
#include "interposer/core/real.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- sets ---- */

static bool has_ours(uint64_t set)
{
	return set & SC_SIGNALS_KEPT;
}

/* Of memory that cannot be read the kernel says so. */
static bool read_set(struct sc_side_effects *e, uint64_t set, uint64_t *word)
{
	if (!set)
		return false;
	if (sc_session_is_live())
		sc_side_effect_open(e, set, MASK);
	if (!sc_safe_read_is_possible(set))
		return false;
	*word = *(const uint64_t *)set;
	return true;
}

/* What the kernel gets for a set of the program's. */
static const sigset_t *without(struct sc_side_effects *e, const sigset_t *set, uint64_t *copy)
{
	if (!read_set(e, (uint64_t)set, copy) || !has_ours(*copy))
		return set;
	*copy &= ~SC_SIGNALS_KEPT;
	return (const sigset_t *)copy;
}

static int finish(struct sc_side_effects *e, int result)
{
	if (sc_side_effect_is_needed(e))
		sc_side_effect_end(e, result);
	return result;
}

/* ---- libc ---- */

#define SUSPEND(name)                                                      \
	EXPORT int name(const sigset_t *set)                               \
	{                                                                  \
		struct sc_side_effects e;                                  \
		uint64_t copy;                                             \
                                                                           \
		sc_side_effect_begin(&e, SC_FAILS_MINUS);                  \
		return finish(&e, SC_REAL(name)(without(&e, set, &copy))); \
	}
int __sigsuspend(const sigset_t *set);
SUSPEND(sigsuspend)
SUSPEND(__sigsuspend)

static void effects_of_polled(struct sc_side_effects *e, struct pollfd *fds, nfds_t count)
{
	if (sc_session_is_live())
		OUT((uint64_t)fds, (uint32_t)count * sizeof(*fds))
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *time, const sigset_t *set)
{
	struct sc_side_effects e;
	uint64_t copy;

	sc_side_effect_begin(&e, SC_FAILS_MINUS);
	effects_of_polled(&e, fds, count);
	set = without(&e, set, &copy);
	return finish(&e, SC_REAL(ppoll)(fds, count, time, set));
}

int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *time, const sigset_t *set,
		size_t most);

EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *time,
		       const sigset_t *set, size_t most)
{
	struct sc_side_effects e;
	uint64_t copy;

	sc_side_effect_begin(&e, SC_FAILS_MINUS);
	effects_of_polled(&e, fds, count);
	set = without(&e, set, &copy);
	return finish(&e, SC_REAL(__ppoll_chk)(fds, count, time, set, most));
}

static void effects_of_selected(struct sc_side_effects *e, int count, const uint64_t sets[3],
				uint64_t time)
{
	if (!sc_session_is_live())
		return;
	SETS(count, sets[0], sets[1], sets[2])
	OPEN(time, TIME)
}

EXPORT int pselect(int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *time,
		   const sigset_t *set)
{
	const uint64_t sets[] = {(uint64_t)in, (uint64_t)out, (uint64_t)other};
	struct sc_side_effects e;
	uint64_t copy;

	sc_side_effect_begin(&e, SC_FAILS_MINUS);
	effects_of_selected(&e, count, sets, (uint64_t)time);
	set = without(&e, set, &copy);
	return finish(&e, SC_REAL(pselect)(count, in, out, other, time, set));
}

static void effects_of_events(struct sc_side_effects *e, struct epoll_event *events, int most,
			      uint64_t time)
{
	if (!sc_session_is_live())
		return;
	EVENTS((uint64_t)events, most)
	IN(time, TIME)
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int most, int time, const sigset_t *set)
{
	struct sc_side_effects e;
	uint64_t copy;

	sc_side_effect_begin(&e, SC_FAILS_MINUS);
	effects_of_events(&e, events, most, 0);
	set = without(&e, set, &copy);
	return finish(&e, SC_REAL(epoll_pwait)(fd, events, most, time, set));
}

/* Newer than the C library that this may be built for, or run with. */
int epoll_pwait2(int fd, struct epoll_event *events, int most, const struct timespec *time,
		 const sigset_t *set);

EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int most, const struct timespec *time,
			const sigset_t *set)
{
	struct sc_side_effects e;
	uint64_t copy;

	if (!SC_REAL(epoll_pwait2))
		return (int)syscall(SYS_epoll_pwait2, fd, events, most, time, set, MASK);
	sc_side_effect_begin(&e, SC_FAILS_MINUS);
	effects_of_events(&e, events, most, (uint64_t)time);
	set = without(&e, set, &copy);
	return finish(&e, SC_REAL(epoll_pwait2)(fd, events, most, time, set));
}

int pthread_attr_setsigmask_np(pthread_attr_t *attributes, const sigset_t *set);

/* The same: newer. */
EXPORT int pthread_attr_setsigmask_np(pthread_attr_t *attributes, const sigset_t *set)
{
	sigset_t copy;

	if (!SC_REAL(pthread_attr_setsigmask_np))
		return ENOSYS;
	if (set) {
		copy = *set;
		sc_signals_keep(&copy);
	}
	return SC_REAL(pthread_attr_setsigmask_np)(attributes, set ? &copy : NULL);
}

/* ---- system calls ---- */

/* Replaces the argument if its set holds ours. */
static void replace(uint64_t *argument, struct sc_side_effects *e, uint64_t *copy)
{
	*argument = (uint64_t)without(e, (const sigset_t *)*argument, copy);
}

/* The argument is the address of a pair: of a set, and its size. */
static void replace_of_pair(uint64_t *argument, struct sc_side_effects *e, struct sc_sigmask *m)
{
	const uint64_t *pair = (const uint64_t *)*argument;

	if (!pair || !sc_safe_read_is_possible((uint64_t)pair))
		return;
	m->pair[0] = pair[0];
	m->pair[1] = pair[1];
	replace(&m->pair[0], e, &m->set);
	*argument = (uint64_t)m->pair;
}

static void replace_action(uint64_t *argument, struct sc_sigmask *m)
{
	const struct sc_kernel_action *action = (const struct sc_kernel_action *)*argument;

	if (!action || !sc_safe_read_is_possible((uint64_t)action) || !has_ours(action->mask))
		return;
	m->action = *action;
	m->action.mask &= ~SC_SIGNALS_KEPT;
	*argument = (uint64_t)&m->action;
}

void sc_sigmask_keep(long number, uint64_t *a, struct sc_side_effects *e, struct sc_sigmask *m)
{
	switch (number) {
	case SYS_rt_sigaction: replace_action(&a[1], m); break;
	case SYS_rt_sigprocmask:
		if ((int)a[0] != SIG_UNBLOCK)
			replace(&a[1], e, &m->set);
		break;
	case SYS_rt_sigsuspend: replace(&a[0], e, &m->set); break;
	case SYS_ppoll: replace(&a[3], e, &m->set); break;
	case SYS_pselect6: replace_of_pair(&a[5], e, m); break;
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2: replace(&a[4], e, &m->set); break;
	}
}
