/* Child: start, pass signals on, wait; signals are taken one by one, so nothing can be missed. */
#include "cmds/process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/message.h"

static const int passed_on[] = {SIGHUP,	 SIGINT,  SIGQUIT,  SIGTERM,
				SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT};

/* How signals were handled before, for the new process. */
struct before {
	sigset_t mask;
	struct sigaction child;
};

static void set_of_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++)
		sigaddset(set, passed_on[i]);
}

/* The new process: nothing of ours may stay in it but what `prepare` wants. */
static _Noreturn void become(const char *path, char **argv, const struct before *before, int failed)
{
	int err;

	sigaction(SIGCHLD, &before->child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
	execvp(path, argv);
	err = errno;
	_exit(write(failed, &err, sizeof(err)) == (ssize_t)sizeof(err) ? 127 : 126);
}

/* The terminal sends its signals to the whole process group: the program has them already. */
static bool came_from_terminal(const siginfo_t *info)
{
	return info->si_code == SI_KERNEL;
}

/* A signal that is sent to a whole group, and to us by name too (timeout does so), comes again:
 * also when the signal has ended the program, and so us. The terminal sends once. */
static void note(struct sc_child_end *end, int number, const siginfo_t *info)
{
	if (!came_from_terminal(info))
		sigaddset(&end->again, number);
}

/* True once the program has ended; *status is then its wait status. */
static bool has_ended(pid_t child, int *status)
{
	pid_t got;

	/* An interruption says nothing: the signal of the end may have been taken before. */
	while ((got = waitpid(child, status, WNOHANG | WUNTRACED)) == child ||
	       (got < 0 && errno == EINTR)) {
		if (got < 0)
			continue;
		if (!WIFSTOPPED(*status))
			return 1;
		raise(SIGSTOP);
		kill(child, SIGCONT);
	}
	return got < 0 && errno == ECHILD;
}

/* Hands on a signal that was sent to this process. */
static void pass(pid_t child, pid_t follower, const siginfo_t *info, struct sc_child_end *end)
{
	if (info->si_signo == SIGUSR1 && follower) {
		kill(follower, SIGUSR1);
		return;
	}
	kill(child, info->si_signo);
	note(end, info->si_signo, info);
}

static void pass_signals_until_end(pid_t child, pid_t follower, const sigset_t *signals,
				   struct sc_child_end *end)
{
	const struct timespec at_once = {0};
	bool is_interactive = 0;
	siginfo_t info;
	int number;

	while (!has_ended(child, &end->status)) {
		number = sigwaitinfo(signals, &info);
		if (number > 0 && number != SIGCHLD && !came_from_terminal(&info))
			pass(child, follower, &info, end);
		is_interactive |= number > 0 && came_from_terminal(&info);
	}
	while ((number = sigtimedwait(signals, &info, &at_once)) > 0) {
		note(end, number, &info);
		is_interactive |= came_from_terminal(&info);
	}
	if (WIFSIGNALED(end->status) && !is_interactive)
		sigaddset(&end->again, WTERMSIG(end->status));
}

/* errno of the exec that failed, 0 if it worked. */
static int read_failure(int fd)
{
	int err = 0;
	ssize_t got;

	do
		got = read(fd, &err, sizeof(err));
	while (got < 0 && errno == EINTR);
	close(fd);
	return got == (ssize_t)sizeof(err) ? err : 0;
}

int sc_child_run(const char *path, char **argv, void (*prepare)(void *context), void *context,
		 pid_t follower, struct sc_child_end *end)
{
	struct sigaction by_default = {.sa_handler = SIG_DFL};
	struct before before;
	sigset_t signals;
	int failed[2], err;
	pid_t child;

	*end = (struct sc_child_end){0};
	sigemptyset(&end->again);
	if (pipe2(failed, O_CLOEXEC))
		return -errno;
	set_of_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, &before.mask);
	end->mask = before.mask;
	sigaction(SIGCHLD, &by_default, &before.child);
	child = fork();
	if (!child) {
		prepare(context);
		become(path, argv, &before, failed[1]);
	}
	err = child < 0 ? errno : 0;
	close(failed[1]);
	if (child > 0)
		err = read_failure(failed[0]);
	else
		close(failed[0]);
	if (child > 0)
		pass_signals_until_end(child, follower, &signals, end);
	sigaction(SIGCHLD, &before.child, NULL);
	return err ? -err : child;
}

static _Noreturn void leave(const char *name)
{
	sc_warn("cannot set %s for the program: %s", name, strerror(ENOMEM));
	_exit(SC_EXIT_USAGE);
}

void sc_child_set(const char *name, const char *value)
{
	if (setenv(name, value, 1))
		leave(name);
}

static bool holds(const char *name)
{
	const char *old = getenv(name);

	return old && *old;
}

static void join(const char *name, const char *first, char separator, const char *second)
{
	char *joined;

	if (asprintf(&joined, "%s%c%s", first, separator, second) < 0)
		leave(name);
	sc_child_set(name, joined);
	free(joined);
}

void sc_child_prepend(const char *name, const char *value, char separator)
{
	if (holds(name))
		join(name, value, separator, getenv(name));
	else
		sc_child_set(name, value);
}

void sc_child_append(const char *name, const char *value, char separator)
{
	if (holds(name))
		join(name, getenv(name), separator, value);
	else
		sc_child_set(name, value);
}
