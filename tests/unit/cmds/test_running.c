/* A process that is killed is not one that runs on, however late it gets a processor. */
#include "cmds/process/running.h"

#include <pthread.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/unit.h"

#define HELD_US 50000

static pid_t start(void)
{
	pid_t child = fork();

	if (!child)
		for (;;)
			pause();
	assert_true(child > 0);
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

TEST(alive)
{
	pid_t child = start();

	assert_true(sc_running_is_alive(child));
	kill(child, SIGSTOP);
	assert_int_equal(waitpid(child, NULL, WUNTRACED), child);
	assert_true(sc_running_is_alive(child));
	end(child);
	assert_false(sc_running_is_alive(child));
}

static void *ask(void *child)
{
	return sc_running_is_alive(*(pid_t *)child) ? child : NULL;
}

/* Holds a killed process at its end, where it has all of its memory. */
TEST(killed)
{
	pid_t child = start();
	pthread_t asks;
	void *alive;
	int status;

	if (ptrace(PTRACE_SEIZE, child, NULL, PTRACE_O_TRACEEXIT)) {
		end(child);
		skip(); /* nobody may trace here */
	}
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status >> 8, SIGTRAP | PTRACE_EVENT_EXIT << 8);
	assert_int_equal(pthread_create(&asks, NULL, ask, &child), 0);
	usleep(HELD_US);
	assert_int_equal(ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
	assert_int_equal(pthread_join(asks, &alive), 0);
	assert_null(alive);
	assert_int_equal(waitpid(child, NULL, 0), child);
}
