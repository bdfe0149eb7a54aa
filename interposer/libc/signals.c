/* Signals: the application's actions, kept aside and honoured. */
#include "interposer/libc/signals.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "interposer/guard/fault.h"
#include "interposer/process/shutdown.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/core/real.h"
#include "interposer/core/module.h"

struct sc_signals sc_signals;

int sc_signals_index(int number)
{
	switch (number) {
#define INDEX(signal) \
	case signal: return SC_COUNT_##signal;
		SC_SIGNALS(INDEX)
#undef INDEX
	}
	return -1;
}

/* A set without the signals that the page guard must always get. */
void sc_signals_keep(sigset_t *set)
{
	sigdelset(set, SIGSEGV);
	sigdelset(set, SIGBUS);
	sigdelset(set, SIGTRAP);
}

void sc_signals_take(sigset_t *set)
{
	sigaddset(set, SIGSEGV);
	sigaddset(set, SIGBUS);
	sigaddset(set, SIGTRAP);
}

/* ---- installing ---- */

static struct sigaction our_action(const struct sigaction *application)
{
	struct sigaction ours = {.sa_sigaction = sc_signals_handle,
				 .sa_flags = SA_SIGINFO | SA_ONSTACK};

	ours.sa_flags |= application->sa_flags & SA_RESTART;
	if (application->sa_handler != SIG_DFL && application->sa_handler != SIG_IGN &&
	    !(application->sa_flags & SA_ONSTACK))
		ours.sa_flags &= ~SA_ONSTACK; /* its handler runs on the stack that it asked for */
	sigfillset(&ours.sa_mask);
	return ours;
}

/* The real function of another library that comes after ours may come back here by syscall(), as if
 * the program had: nothing that we set is the program's. */
static int set_action(int number, const struct sigaction *new, struct sigaction *old)
{
	int result;

	sc_self.busy++;
	result = SC_REAL(sigaction)(number, new, old);
	sc_self.busy--;
	return result;
}

static bool is_installed(void)
{
	struct sigaction now;

	return !set_action(SIGSEGV, NULL, &now) && now.sa_sigaction == sc_signals_handle;
}

void sc_signals_install(void)
{
	static const int numbers[] = {
#define NUMBER(signal) signal,
		SC_SIGNALS(NUMBER)
#undef NUMBER
	};
	struct sc_signals *s = &sc_signals;

	if (sc_session.catches_faults)
		return;
	sc_session.catches_faults = true;
	sc_fault_set_test(is_installed);
	for (unsigned i = 0; i < SC_SIGNAL_COUNT; i++) {
		struct sigaction ours;

		set_action(numbers[i], NULL, &s->application[i]);
		ours = our_action(&s->application[i]);
		set_action(numbers[i], &ours, NULL);
	}
}

/* ---- chaining ---- */

/* When the handler returns, where the program was. A fault would come again by itself, unless
 * another thread has mended its cause meanwhile: the program has died all the same. */
static void die_by(int number, siginfo_t *info, ucontext_t *context)
{
	struct sigaction by_default = {.sa_handler = SIG_DFL};

	sc_shutdown_crash(number);
	set_action(number, &by_default, NULL);
	sigdelset(&context->uc_sigmask, number);
	sc_raw(SYS_rt_tgsigqueueinfo, (uint64_t)getpid(),
	       (uint64_t)sc_raw(SYS_gettid, 0, 0, 0, 0, 0, 0), (uint64_t)number, (uint64_t)info, 0,
	       0);
}

static struct sigaction take_action(int i)
{
	struct sc_signals *s = &sc_signals;
	struct sigaction a;

	if (sc_self.busy) /* the interrupted code of this very thread may hold the lock */
		return s->application[i];
	sc_lock_get(&s->lock);
	a = s->application[i];
	if (a.sa_flags & (int)SA_RESETHAND)
		s->application[i].sa_handler = SIG_DFL;
	sc_lock_put(&s->lock);
	return a;
}

/* The mask under which the kernel would have run this handler. */
static void set_mask(const struct sigaction *a, int number, const ucontext_t *context)
{
	sigset_t mask;

	sigorset(&mask, &context->uc_sigmask, &a->sa_mask);
	if (!(a->sa_flags & SA_NODEFER))
		sigaddset(&mask, number);
	sc_signals_keep(&mask);
	if (!(a->sa_flags & SA_NODEFER))
		sigaddset(&mask, number);
	SC_REAL(pthread_sigmask)(SIG_SETMASK, &mask, NULL);
}

/* Runs the application's action for a signal that was not ours. */
static void chain(int number, siginfo_t *info, ucontext_t *context)
{
	int i = sc_signals_index(number);
	struct sigaction a;

	sc_session_hold();
	a = take_action(i);
	if (a.sa_handler == SIG_IGN && info->si_code <= 0)
		return;
	if (a.sa_handler == SIG_DFL || a.sa_handler == SIG_IGN) {
		die_by(number, info, context);
		return;
	}
	set_mask(&a, number, context);
	if (a.sa_flags & SA_SIGINFO)
		a.sa_sigaction(number, info, context);
	else
		a.sa_handler(number);
}

void sc_signals_handle(int number, siginfo_t *info, void *context)
{
	if (!sc_fault_handle(number, info, context))
		chain(number, info, context);
}

/* ---- what the application sets ---- */

void sc_signals_exchange(int i, int number, const struct sigaction *new, struct sigaction *old)
{
	struct sc_signals *s = &sc_signals;
	struct sigaction before, ours;

	sc_lock_get(&s->lock);
	before = s->application[i];
	if (new)
		s->application[i] = *new;
	sc_lock_put(&s->lock);
	if (new) {
		ours = our_action(new);
		set_action(number, &ours, NULL);
	}
	if (old)
		*old = before;
}

/* The application's handlers are its child's, too: nothing is forgotten. */
const struct sc_module sc_module_signals = {.live = sc_signals_install};
