/* Running the analyzer: a child that shares nothing, waited for without the application noticing.
 */
#include "interposer/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "interposer/core/arena.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/arch/processor.h"
#include "interposer/arch/valgrind.h"
#include "interposer/core/thread.h"
#include "interposer/core/real.h"
#include "base/sys.h"

#define STACK_BYTES   65536
#define OPTIONS_BYTES 32768 /* of all options as text */

struct job {
	char path[SC_PATH_BYTES + 32];
	char *argv[4];
	char **environment;
	char *stack; /* of the two processes that share our memory */
	int error;   /* errno of what failed */
	int result;  /* what the analyzer ended with */
	int is_done; /* atomic: both are known */
};

/* Where the command is, seen from this library: installed, or in the build tree. */
static const char *const places[] = {"/../bin/streamcheck", "/streamcheck", "/../streamcheck"};

static bool find_command(struct job *job)
{
	const char *slash = strrchr(sc_session.own_path, '/');
	size_t length = slash ? (size_t)(slash - sc_session.own_path) : 0;

	for (unsigned i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		memcpy(job->path, sc_session.own_path, length);
		strcpy(job->path + length, places[i]);
		if (!sc_sys_access(job->path, X_OK))
			return true;
	}
	return false;
}

#define OPTIONS "STREAMCHECK_OPTIONS="
#define ENDED	"STREAMCHECK_ENDED="

/* Our options, as far as they made sense: what made none was said when they were read. */
static char *options(void)
{
	char *out = sc_arena_get(OPTIONS_BYTES);
	size_t name = strlen(OPTIONS);

	if (!out)
		return NULL;
	memcpy(out, OPTIONS, name);
	return sc_options_print(&sc_session.options, out + name, OPTIONS_BYTES - name) ? NULL : out;
}

/* The variable that names the process that ended; the command looks up what else belongs to its run
 * (cmds/analyze.c). */
static char *ended(void)
{
	char *out = sc_arena_get(sizeof(ENDED) + 16);

	if (out)
		snprintf(out, sizeof(ENDED) + 16, ENDED "%d", sc_session.process);
	return out;
}

/* The environment without what would load us into the command, and with the options that the
 * session began with. */
static char **environment(void)
{
	static const char *const ours[] = {"LD_PRELOAD=", "STREAMCHECK_COLLECT=", OPTIONS, ENDED};
	size_t n = 0, all = 0;
	bool is_ours;
	char **out;

	while (environ && environ[all])
		all++;
	out = sc_arena_get((all + 3) * sizeof(*out));
	if (!out || !(out[n++] = options()) || !(out[n++] = ended()))
		return NULL;
	for (char **v = environ; v && *v; v++) {
		is_ours = false;
		for (unsigned i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
			is_ours |= !strncmp(*v, ours[i], strlen(ours[i]));
		if (!is_ours)
			out[n++] = *v;
	}
	return out;
}

/* A process that shares our memory: a copy of all that a large program has would take long.
 * Valgrind makes copies only, which share no more than the job. */
static pid_t begin(int (*function)(void *), char *stack, int flags, struct job *job)
{
	long child;

	if (!sc_valgrind_runs())
		return (pid_t)sc_raw_result(sc_process_clone(function, stack, flags, job));
	child = sc_raw(SYS_clone, (uint64_t)(flags & CSIGNAL), 0, 0, 0, 0, 0);
	if (!child)
		function(job);
	return (pid_t)sc_raw_result(child);
}

/* In the new process, which shares our memory until exec: by system calls, since errno is the
 * program's. */
static int become(void *data)
{
	struct job *job = data;
	uint64_t none = 0;
	long fd;

	sc_raw(SYS_rt_sigprocmask, SIG_SETMASK, (uint64_t)&none, 0, sizeof(none), 0, 0);
	fd = sc_raw(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t) "/dev/null", O_RDONLY, 0, 0, 0);
	if (fd > 0) {
		sc_raw(SYS_dup2, (uint64_t)fd, STDIN_FILENO, 0, 0, 0, 0);
		sc_raw(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
	}
	job->error = (int)-sc_raw(SYS_execve, (uint64_t)job->path, (uint64_t)job->argv,
				  (uint64_t)job->environment, 0, 0, 0);
	sc_raw(SYS_exit_group, 127, 0, 0, 0, 0, 0);
	return 127;
}

/* Valgrind ends a copy of the program as if it were the program, with a summary and a search for
 * leaks, unless it is killed by another process. */
static void await_end(const struct job *job)
{
	sc_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
	sc_raw(SYS_futex, (uint64_t)&job->is_done, FUTEX_WAKE, INT_MAX, 0, 0, 0);
	for (;;)
		sc_raw(SYS_pause, 0, 0, 0, 0, 0, 0);
}

static void end_copy(const struct job *job, pid_t child)
{
	const struct timespec moment = {.tv_nsec = 10000000};

	while (!__atomic_load_n(&job->is_done, __ATOMIC_ACQUIRE)) {
		if (sc_sys_waitpid(child, NULL, __WALL | WNOHANG))
			return; /* somebody killed it */
		sc_raw(SYS_futex, (uint64_t)&job->is_done, FUTEX_WAIT, 0, (uint64_t)&moment, 0, 0);
	}
	sc_raw(SYS_kill, (uint64_t)child, SIGKILL, 0, 0, 0, 0);
}

/* The analyzer's parent. What has called exec sends SIGCHLD when it ends, and is found by any wait:
 * so this one is in between, and does not. */
static int attend(void *data)
{
	const uint64_t by_default[4] = {0}; /* struct sigaction as the kernel has it */
	struct job *job = data;
	long child, got = 0;
	int status = 0;

	sc_raw(SYS_rt_sigaction, SIGCHLD, (uint64_t)by_default, 0, sizeof(uint64_t), 0, 0);
	child = begin(become, job->stack + 2 * STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, job);
	while (child > 0 &&
	       (got = sc_raw(SYS_wait4, (uint64_t)child, (uint64_t)&status, 0, 0, 0, 0)) == -EINTR)
		;
	if (child < 0 || got < 0)
		job->error = job->error ? job->error : EAGAIN;
	job->result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	/* release: paired with the acquire in await */
	__atomic_store_n(&job->is_done, 1, __ATOMIC_RELEASE);
	if (sc_valgrind_runs())
		await_end(job);
	sc_raw(SYS_exit_group, 0, 0, 0, 0, 0, 0);
	return 0;
}

/* Only __WALL finds a process that sends no signal. A program that waits so itself may take it, but
 * only when it has ended. */
static int await(const struct job *job, pid_t child)
{
	if (sc_valgrind_runs())
		end_copy(job, child);
	while (sc_sys_waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
		;
	if (!__atomic_load_n(&job->is_done, __ATOMIC_ACQUIRE)) /* somebody killed it */
		return -ECHILD;
	return job->error ? -job->error : job->result;
}

static int run_and_wait(struct job *job)
{
	sigset_t all, old;
	pid_t child;

	job->stack = sc_arena_get(2 * STACK_BYTES);
	if (!job->stack || !job->environment)
		return -ENOMEM;
	sigfillset(&all); /* no handler of the program's may run in the new processes */
	SC_REAL(pthread_sigmask)(SIG_BLOCK, &all, &old);
	child = begin(attend, job->stack + STACK_BYTES, CLONE_VM, job);
	SC_REAL(pthread_sigmask)(SIG_SETMASK, &old, NULL);
	if (child < 0)
		return -errno;
	return await(job, child);
}

int sc_spawn_analyzer(const char *trace)
{
	struct job *job = sc_arena_map(sizeof(*job), MAP_SHARED);
	int result = -ENOENT;

	if (!job)
		return -ENOMEM;
	if (find_command(job)) {
		job->argv[0] = job->path;
		job->argv[1] = (char *)"analyze";
		job->argv[2] = (char *)trace;
		job->environment = environment();
		sc_self.busy++;
		result = run_and_wait(job);
		sc_self.busy--;
	}
	sc_raw_unmap(job, sizeof(*job));
	return result;
}
