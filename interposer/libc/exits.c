/* The ways out of a process, as the application takes them: exit, _exit, quick_exit. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "interposer/process/shutdown.h"
#include "interposer/core/module.h"
#include "interposer/core/session.h"
#include "interposer/core/environment.h"
#include "interposer/core/reference.h"
#include "interposer/libc/signals.h"
#include "interposer/core/thread.h"
#include "interposer/core/real.h"
#include "interposer/driver/entry.h"

#define EXPORT __attribute__((visibility("default")))

/* Several threads may be in exit at a time: they take handlers from one list, and who finds it
 * empty ends the process. So there are as many of our handlers as threads come in the same moment,
 * and each thread that will be held puts one more there for the next. */
#define AT_ONCE 8

static struct sc_thread *_Atomic first; /* that is in exit */

static bool will_be_held(void)
{
	struct sc_thread *nobody = NULL, *ender = atomic_load(&sc_session.ending_thread);

	if (atomic_compare_exchange_strong(&first, &nobody, &sc_self) || nobody == &sc_self)
		return false;
	return ender ? ender != &sc_self : sc_session_is_live();
}

/* Not by _exit, which may be called where the loader may not be. */
static void report_unused(int status)
{
	if (atomic_load(&sc_session.state) != SC_IDLE)
		return;
	sc_self.busy++;
	sc_modules_unused(status);
	sc_shutdown_unused();
	sc_self.busy--;
}

/* Registered before anything of the program's, so it runs after all of it, destructors included. */
static void at_exit(int status, void *unused)
{
	int wanted;

	(void)unused;
	report_unused(status);
	if (will_be_held())
		on_exit(at_exit, NULL);
	wanted = sc_shutdown(status);
	if (wanted == status)
		return;
	fcloseall(); /* as exit does: what was read ahead of a file is given back, too */
	SC_REAL(_exit)(wanted);
}

static void at_quick_exit_(void)
{
	int status = sc_session.exit_status, wanted;

	if (will_be_held())
		at_quick_exit(at_quick_exit_);
	wanted = sc_shutdown(status);
	if (wanted != status)
		SC_REAL(_exit)(wanted);
}

static void in_child(void)
{
	sc_session_forget();
}

/* The parent process may have blocked the guard's signals, and threads inherit that. */
static void unblock(void)
{
	sigset_t ours;

	sigemptyset(&ours);
	sc_signals_take(&ours);
	SC_REAL(sigprocmask)(SIG_UNBLOCK, &ours, NULL);
}

__attribute__((constructor)) static void load(void)
{
	sc_environment_keep();
	unblock();
	for (unsigned i = 0; i < AT_ONCE; i++) {
		on_exit(at_exit, NULL);
		at_quick_exit(at_quick_exit_);
	}
	pthread_atfork(NULL, NULL, in_child);
	sc_real_find_all();
	sc_references_begin();
}

EXPORT void _exit(int status)
{
	typeof(&_exit) real = SC_REAL(_exit);

	status = sc_shutdown(status);
	real(status);
	__builtin_unreachable();
}

EXPORT void _Exit(int status)
{
	_exit(status);
}

EXPORT void quick_exit(int status)
{
	sc_session.exit_status = status;
	SC_REAL(quick_exit)(status);
	__builtin_unreachable();
}
