// Its parents and children, and what it becomes.
#include "tests/e2e/scenarios/actor/actor.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

static int reap(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 1;
	return WEXITSTATUS(status);
}

// The child only ends; it must neither report the parent's work nor hang.
int run_fork(void)
{
	struct buffers b;
	pid_t child;

	prepare(&b);
	enqueue(&b);
	child = fork();
	if (!child)
		exit(0);
	if (reap(child))
		return 1;
	finish(&b);
	return 0;
}

int run_fork_first(void)
{
	pid_t child = fork();

	racy();
	return child ? reap(child) : 0;
}

int run_fork_exec(void)
{
	pid_t child;

	clean();
	child = fork();
	if (!child) {
		execl("/proc/self/exe", "actor", "racy", (char *)NULL);
		_exit(127);
	}
	return reap(child);
}

static void *fork_once(void *)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	return (void *)(intptr_t)reap(child);
}

// A thread forks that has as small a stack as there can be.
int run_fork_low(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *failed;

	clean();
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN));
	if (pthread_create(&thread, &attributes, fork_once, NULL))
		return EXIT_WRONG;
	pthread_join(thread, &failed);
	return failed ? EXIT_WRONG : 0;
}

int run_exec(void)
{
	racy();
	execl("/proc/self/exe", "actor", "clean", (char *)NULL);
	return 127;
}

int run_exec_by_call(void)
{
	const char *actor[] = {"actor", "clean", NULL};

	racy();
	syscall(SYS_execve, "/proc/self/exe", actor, environ);
	return 127;
}

// Looks for another program to become, and finds none.
int run_exec_fails(void)
{
	const char *nobody[] = {"nobody", NULL};

	clean();
	if (execvp("no-such-program", (char **)nobody) != -1 || errno != ENOENT)
		return EXIT_WRONG;
	if (execv("/dev/null", (char **)nobody) != -1 || errno != EACCES)
		return EXIT_WRONG;
	racy();
	return 0;
}

// Trusts nothing that it was given.
int run_cleared(void)
{
	clearenv();
	racy();
	return 0;
}

static void on_child(int)
{
	(void)!write(STDOUT_FILENO, "a child\n", 8);
}

// Hears of each child that ends; there is none.
int run_parent(void)
{
	signal(SIGCHLD, on_child);
	racy();
	return 0;
}

// Does not want to hear of children.
int run_childless(void)
{
	signal(SIGCHLD, SIG_IGN);
	racy();
	return 0;
}

// Asks for another process's memory, as ranks do that read each other's; whether it may does not
// matter.
int run_peeks(void)
{
	char byte;
	struct iovec own = {&byte, 1}, others = {&byte, 1};

	clean();
	process_vm_readv(getppid(), &own, 1, &others, 1, 0);
	racy();
	return 0;
}

// A daemon: the racy work is done by a grandchild that outlives everybody. A pipe reports its end.
int run_daemon(void)
{
	if (fork())
		return 0;
	setsid();
	if (fork())
		_exit(0);
	racy();
	return 0;
}
