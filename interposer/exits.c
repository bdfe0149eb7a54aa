/* The ways out of a process, as the application takes them: exit, _exit, quick_exit, exec. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "interposer/arena.h"
#include "interposer/leave.h"
#include "interposer/look.h"
#include "interposer/session.h"

#define EXPORT __attribute__((visibility("default")))

/* Registered before anything of the program's, so it runs after all of it, destructors included. */
static void at_exit(int status, void *unused)
{
	int wanted = sc_leave(status);

	(void)unused;
	if (wanted == status)
		return;
	fflush(NULL);
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
	unblock();
	on_exit(at_exit, NULL);
	at_quick_exit(at_quick_exit_);
	pthread_atfork(NULL, NULL, in_child);
	sc_real_find_all();
}

EXPORT void _exit(int status)
{
	typeof(&_exit) real = SC_REAL(_exit);

	if ((uint32_t)getpid() == (sc_session_is_live() ? sc_session.writer.head->process : 0))
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

/* ---- exec ---- */

/* A child of vfork shares our memory: what is armed there must not refuse its strings. */
static void leave(const char *path, char *const argv[], char *const envp[])
{
	struct sc_look l;

	sc_leave_exec();
	if (!sc_session_is_live())
		return;
	sc_look_begin(&l, SC_FAILS_MINUS);
	l.is_brief = true; /* nobody comes back, if all goes well */
	sc_look_string(&l, (uint64_t)path, UINT64_MAX);
	sc_look_strings(&l, (uint64_t)argv);
	sc_look_strings(&l, (uint64_t)envp);
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	leave(path, argv, envp);
	return SC_REAL(execve)(path, argv, envp);
}

EXPORT int execv(const char *path, char *const argv[])
{
	leave(path, argv, environ);
	return SC_REAL(execv)(path, argv);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	leave(file, argv, environ);
	return SC_REAL(execvp)(file, argv);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	leave(file, argv, envp);
	return SC_REAL(execvpe)(file, argv, envp);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	leave(NULL, argv, envp);
	return SC_REAL(fexecve)(fd, argv, envp);
}

int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags);

/* Newer than the C library that this may be built for, or run with. */
EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
	leave(path, argv, envp);
	if (SC_REAL(execveat))
		return SC_REAL(execveat)(fd, path, argv, envp, flags);
	return (int)syscall(SYS_execveat, fd, path, argv, envp, flags);
}

#define MOST_ARGUMENTS 1024

/* execl and its kin: the list becomes an array in our own memory. Returns the array. */
static char **gather(const char *first, va_list *rest)
{
	char **argv = sc_arena_get((MOST_ARGUMENTS + 1) * sizeof(*argv));
	unsigned n = 0;

	if (!argv)
		return NULL;
	argv[n++] = (char *)first;
	while (argv[n - 1] && n < MOST_ARGUMENTS)
		argv[n++] = va_arg(*rest, char *);
	return argv;
}

EXPORT int execl(const char *path, const char *first, ...)
{
	char **argv;
	va_list rest;

	va_start(rest, first);
	argv = gather(first, &rest);
	va_end(rest);
	return argv ? execv(path, argv) : (errno = ENOMEM, -1);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
	char **argv;
	va_list rest;

	va_start(rest, first);
	argv = gather(first, &rest);
	va_end(rest);
	return argv ? execvp(file, argv) : (errno = ENOMEM, -1);
}

EXPORT int execle(const char *path, const char *first, ...)
{
	char **argv, **envp;
	va_list rest;

	va_start(rest, first);
	argv = gather(first, &rest);
	envp = va_arg(rest, char **);
	va_end(rest);
	return argv ? execve(path, argv, envp) : (errno = ENOMEM, -1);
}
