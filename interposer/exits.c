/* The ways out of a process, as the application takes them: exit, _exit, quick_exit. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "interposer/leave.h"
#include "interposer/session.h"
#include "interposer/variables.h"

#define EXPORT __attribute__((visibility("default")))

/* Registered before anything of the program's, so it runs after all of it, destructors included. */
static void at_exit(int status, void *unused)
{
	int wanted = sc_leave(status);

	(void)unused;
	if (wanted == status)
		return;
	fcloseall(); /* as exit does: what was read ahead of a file is given back, too */
	SC_REAL(_exit)(wanted);
}

static void at_quick_exit_(void)
{
	int status = sc_session.exit_status, wanted = sc_leave(status);

	if (wanted != status)
		SC_REAL(_exit)(wanted);
}

static void in_child(void)
{
	sc_session_forget();
}

/* Whoever started the program may have blocked them, and threads inherit that. */
static void unblock(void)
{
	sigset_t ours;

	sigemptyset(&ours);
	sc_signals_take(&ours);
	SC_REAL(sigprocmask)(SIG_UNBLOCK, &ours, NULL);
}

__attribute__((constructor)) static void load(void)
{
	sc_variables_keep();
	unblock();
	on_exit(at_exit, NULL);
	at_quick_exit(at_quick_exit_);
	pthread_atfork(NULL, NULL, in_child);
	sc_real_find_all();
}

EXPORT void _exit(int status)
{
	typeof(&_exit) real = SC_REAL(_exit);

	status = sc_leave(status);
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
