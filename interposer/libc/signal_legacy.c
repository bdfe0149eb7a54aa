/* signal() and the functions of BSD and System V, which libc makes of its own, past those that we
 * see. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include "interposer/core/session.h"
#include "interposer/libc/signals.h"
#include "interposer/core/thread.h"
#include "interposer/core/real.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define EXPORT __attribute__((visibility("default")))

static bool is_ours(int number)
{
	return sc_signals_index(number) >= 0 && sc_session.catches_faults && !sc_self.busy;
}

/* ---- actions ---- */

static sighandler_t set(int number, sighandler_t handler, int flags)
{
	struct sigaction new = {.sa_handler = handler, .sa_flags = flags}, old;

	sc_signals_exchange(sc_signals_index(number), number, &new, &old);
	return old.sa_handler;
}

#define SIGNAL(name, flags)                                              \
	sighandler_t name(int number, sighandler_t handler);             \
	EXPORT sighandler_t name(int number, sighandler_t handler)       \
	{                                                                \
		return is_ours(number) ? set(number, handler, flags)     \
				       : SC_REAL(name)(number, handler); \
	}
SIGNAL(signal, SA_RESTART)
SIGNAL(bsd_signal, SA_RESTART)
SIGNAL(ssignal, SA_RESTART)
SIGNAL(sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))
SIGNAL(__sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))

int __sigaction(int number, const struct sigaction *new, struct sigaction *old);

EXPORT int __sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
	return sigaction(number, new, old);
}

#define HOLD ((sighandler_t)2) /* SIG_HOLD, which not every mode of the headers has */

EXPORT sighandler_t sigset(int number, sighandler_t handler)
{
	struct sigaction now;
	sigset_t one;

	if (!is_ours(number))
		return SC_REAL(sigset)(number, handler);
	sigemptyset(&one);
	sigaddset(&one, number);
	sigprocmask(handler == HOLD ? SIG_BLOCK : SIG_UNBLOCK, &one, NULL);
	if (handler != HOLD)
		return set(number, handler, 0);
	sigaction(number, NULL, &now);
	return now.sa_handler;
}

EXPORT int sigignore(int number)
{
	if (!is_ours(number))
		return SC_REAL(sigignore)(number);
	set(number, SIG_IGN, 0);
	return 0;
}

/* ---- masks, of the first 32 signals ---- */

static int change_mask(int how, int mask)
{
	uint64_t word = (uint32_t)mask, before;
	sigset_t new, old;

	sigemptyset(&new);
	memcpy(&new, &word, sizeof(word));
	if (sigprocmask(how, &new, &old))
		return -1;
	memcpy(&before, &old, sizeof(before));
	return (int)(uint32_t)before;
}

EXPORT int sigblock(int mask)
{
	return change_mask(SIG_BLOCK, mask);
}

EXPORT int sigsetmask(int mask)
{
	return change_mask(SIG_SETMASK, mask);
}

EXPORT int sighold(int number)
{
	sigset_t one;

	sigemptyset(&one);
	if (sigaddset(&one, number))
		return -1;
	return sigprocmask(SIG_BLOCK, &one, NULL);
}
