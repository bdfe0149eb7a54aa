/* The signal functions of libc, as the application calls them. */
#include <signal.h>
#include "interposer/session.h"

#define EXPORT __attribute__((visibility("default")))

static bool is_ours(int i)
{
	return i >= 0 && sc_session.signals.is_installed;
}

EXPORT int sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
	int i = sc_signals_index(number);
	struct sigaction copy;

	if (is_ours(i) && !sc_self.busy) {
		struct sigaction wanted = new ? *new : (struct sigaction){0};

		sc_signals_exchange(i, number, new ? &wanted : NULL, old);
		return 0;
	}
	if (!new)
		return SC_REAL(sigaction)(number, new, old);
	copy = *new;
	sc_signals_keep(&copy.sa_mask);
	return SC_REAL(sigaction)(number, &copy, old);
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
	struct sigaction new = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
	int i = sc_signals_index(number);

	if (!is_ours(i) || sc_self.busy)
		return SC_REAL(signal)(number, handler);
	sc_signals_exchange(i, number, &new, &old);
	return old.sa_handler;
}

static const sigset_t *without_ours(const sigset_t *set, sigset_t *copy)
{
	if (!set)
		return NULL;
	*copy = *set;
	sc_signals_keep(copy);
	return copy;
}

#define LEAST_STACK 8192 /* our handler, behind the kernel's frame */

/* A fault of the guard would not fit on a smaller stack, and end the program. */
EXPORT int sigaltstack(const stack_t *new, stack_t *old)
{
	if (new && !(new->ss_flags &SS_DISABLE) && new->ss_size < LEAST_STACK)
		sc_guard_stand_down("page guard: an alternate signal stack is small");
	return SC_REAL(sigaltstack)(new, old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t copy;

	return SC_REAL(sigprocmask)(how, how == SIG_UNBLOCK ? set : without_ours(set, &copy), old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t copy;

	return SC_REAL(pthread_sigmask)(how, how == SIG_UNBLOCK ? set : without_ours(set, &copy),
					old);
}
