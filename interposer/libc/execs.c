/* The way out of a program into another one, as the application takes it: exec. */
#include "interposer/libc/execs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "interposer/core/arena.h"
#include "interposer/process/shutdown.h"
#include "interposer/libc/side_effect.h"
#include "interposer/core/raw.h"
#include "interposer/core/message.h"
#include "interposer/core/session.h"
#include "interposer/core/real.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- is there a program? ---- */

static bool is_executable(int folder, const char *path)
{
	return !sc_raw(SYS_faccessat, (uint64_t)(int64_t)folder, (uint64_t)path, X_OK, 0, 0, 0);
}

/* As execvp looks for it. */
static bool is_on_path(const char *file)
{
	const char *list = getenv("PATH");
	char path[PATH_MAX];

	for (list = list ? list : "/bin:/usr/bin"; *list;) {
		int length = (int)strcspn(list, ":");

		if (snprintf(path, sizeof(path), "%.*s%s%s", length, list, length ? "/" : "",
			     file) < (int)sizeof(path) &&
		    is_executable(AT_FDCWD, path))
			return true;
		list += length;
		list += *list == ':';
	}
	return false;
}

/* What is to be executed: a file of `folder`, or if it has no slash, one on the path. */
struct wanted {
	int folder;
	const char *path; /* NULL: an open file */
	bool is_searched;
};

static bool is_there(const struct wanted *w)
{
	if (!w->path || !*w->path)
		return true;
	if (w->is_searched && !strchr(w->path, '/'))
		return is_on_path(w->path);
	return is_executable(w->folder, w->path);
}

/* ---- before and after ---- */

/* Programs try names until one is there: only one that is ends the recording. True if it has ended.
 * A child of vfork shares our memory: what is watched there must not refuse its strings. */
static bool leave(struct wanted w, char *const argv[], char *const envp[])
{
	struct sc_side_effects e;
	int saved = errno;
	bool has_closed;

	if (!sc_session_is_live())
		return false;
	sc_side_effect_begin(&e, SC_FAILS_MINUS);
	e.is_brief = true; /* does not return, if all goes well */
	sc_side_effect_string(&e, (uint64_t)w.path, UINT64_MAX);
	sc_side_effect_strings(&e, (uint64_t)argv);
	sc_side_effect_strings(&e, (uint64_t)envp);
	has_closed = is_there(&w) && sc_shutdown_exec();
	errno = saved;
	return has_closed;
}

/* The call has returned, so it has failed. */
static int stay(bool has_closed, int result)
{
	if (!has_closed)
		return result;
	sc_shutdown_stay();
	sc_message("exec failed, and the program continues: what it does from here on is not "
		   "recorded");
	return result;
}

/* ---- libc ---- */

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	bool has_closed = leave((struct wanted){AT_FDCWD, path, false}, argv, envp);

	return stay(has_closed, SC_REAL(execve)(path, argv, envp));
}

long sc_execs_call(const uint64_t *a)
{
	bool has_closed = leave((struct wanted){AT_FDCWD, (const char *)a[0], false},
				(char *const *)a[1], (char *const *)a[2]);

	return stay(has_closed, (int)sc_raw_result(sc_raw(SYS_execve, a[0], a[1], a[2], 0, 0, 0)));
}

EXPORT int execv(const char *path, char *const argv[])
{
	bool has_closed = leave((struct wanted){AT_FDCWD, path, false}, argv, environ);

	return stay(has_closed, SC_REAL(execv)(path, argv));
}

EXPORT int execvp(const char *file, char *const argv[])
{
	bool has_closed = leave((struct wanted){AT_FDCWD, file, true}, argv, environ);

	return stay(has_closed, SC_REAL(execvp)(file, argv));
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	bool has_closed = leave((struct wanted){AT_FDCWD, file, true}, argv, envp);

	return stay(has_closed, SC_REAL(execvpe)(file, argv, envp));
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	bool has_closed = leave((struct wanted){fd, NULL, false}, argv, envp);

	return stay(has_closed, SC_REAL(fexecve)(fd, argv, envp));
}

int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags);

/* Newer than the C library that this may be built for, or run with. */
EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
	bool has_closed = leave((struct wanted){fd, path, false}, argv, envp);

	if (SC_REAL(execveat))
		return stay(has_closed, SC_REAL(execveat)(fd, path, argv, envp, flags));
	return stay(has_closed,
		    (int)sc_raw_result(sc_raw(SYS_execveat, (uint64_t)fd, (uint64_t)path,
					      (uint64_t)argv, (uint64_t)envp, (uint64_t)flags, 0)));
}

/* execl and its kin: the list becomes an array in our own memory. Returns the array. */
static char **gather(const char *first, va_list *rest)
{
	va_list ahead;
	char **argv;
	size_t n = 1;

	va_copy(ahead, *rest);
	while (first && va_arg(ahead, char *))
		n++;
	va_end(ahead);
	argv = sc_arena_get((n + 1) * sizeof(*argv));
	if (!argv)
		return NULL;
	argv[0] = (char *)first;
	for (size_t i = 1; first && i <= n; i++)
		argv[i] = va_arg(*rest, char *);
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
