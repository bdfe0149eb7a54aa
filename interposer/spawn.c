/* Running the analyzer: a child that shares nothing, waited for behind the application's back. */
#include "interposer/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "interposer/arena.h"
#include "interposer/session.h"
#include "interposer/variables.h"

#define STACK_BYTES    65536
#define MOST_VARIABLES 4096

struct job {
	char path[SC_PATH_BYTES + 32];
	char *argv[4];
	char **environment;
	int error; /* errno of a failed execve; shared with the child */
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
		if (!access(job->path, X_OK))
			return true;
	}
	return false;
}

/* The environment without what would load us into the command, and with what the program took out
 * of it. */
static char **environment(void)
{
	char **out = sc_arena_get((MOST_VARIABLES + 1) * sizeof(*out));
	char *options = sc_variable_lost(SC_VARIABLE_OPTIONS);
	unsigned n = 0;

	if (out && options)
		out[n++] = options;
	for (char **v = environ; out && v && *v && n < MOST_VARIABLES; v++) {
		if (strncmp(*v, "LD_PRELOAD=", 11) && strncmp(*v, "STREAMCHECK_COLLECT=", 20))
			out[n++] = *v;
	}
	return out;
}

static int run(void *data)
{
	struct job *job = data;
	sigset_t none;
	int fd;

	sigemptyset(&none);
	SC_REAL(sigprocmask)(SIG_SETMASK, &none, NULL);
	fd = open("/dev/null", O_RDONLY);
	if (fd > 0) {
		dup2(fd, STDIN_FILENO);
		close(fd);
	}
	SC_REAL(execve)(job->path, job->argv, job->environment);
	job->error = errno;
	SC_REAL(_exit)(127);
	return 127;
}

/* The child sends no signal when it ends, so that neither a SIGCHLD handler nor a wait of the
 * application sees it; only __WALL finds it. */
static int run_and_wait(struct job *job)
{
	char *stack = sc_arena_get(STACK_BYTES);
	int status = 0;
	pid_t child;

	if (!stack || !job->environment)
		return -ENOMEM;
	child = clone(run, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, job);
	if (child < 0)
		return -errno;
	while (waitpid(child, &status, __WALL) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	if (job->error)
		return -job->error;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int sc_spawn_analyzer(const char *trace)
{
	struct job *job = sc_arena_get(sizeof(*job));
	int result;

	if (!job)
		return -ENOMEM;
	if (!find_command(job))
		return -ENOENT;
	job->argv[0] = job->path;
	job->argv[1] = (char *)"analyze";
	job->argv[2] = (char *)trace;
	job->environment = environment();
	sc_self.busy++;
	result = run_and_wait(job);
	sc_self.busy--;
	return result;
}
