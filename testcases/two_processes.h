// Two processes that share device memory and an event: this one, which is checked, and another,
// which is this program once more. CUDA does not survive a fork, so the other begins before CUDA
// does; it is not checked, as the other side of such memory seldom is.
#ifndef SC_TESTCASES_TWO_PROCESSES_H
#define SC_TESTCASES_TWO_PROCESSES_H

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "testcases/common.h"

static int other_process; // a socket

template <typename T> static void send_value(const T &value)
{
	if (write(other_process, &value, sizeof(value)) != sizeof(value))
		exit(EXIT_WRONG);
}

template <typename T> static T receive_value()
{
	T value;

	if (read(other_process, &value, sizeof(value)) != sizeof(value))
		exit(EXIT_WRONG);
	return value;
}

// Waits until the other process is here, too.
static void rendezvous()
{
	send_value('.');
	receive_value<char>();
}

static pid_t begin_other(const char *program)
{
	int ends[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		exit(EXIT_WRONG);
	other_process = ends[0];
	child = fork();
	if (child)
		close(ends[1]);
	if (child)
		return child;
	unsetenv("LD_PRELOAD");
	dup2(ends[1], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	execl("/proc/self/exe", program, "other", NULL);
	_exit(EXIT_WRONG);
}

static void end_other(pid_t child)
{
	int status = 0;

	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "the other process: %d\n", status);
		exit(WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : EXIT_WRONG);
	}
}

// `ours` is what is checked; `theirs` runs in the other process.
static int run_both(int argc, char **argv, void (*ours)(), void (*theirs)())
{
	pid_t child;

	if (argc > 1) {
		other_process = STDIN_FILENO;
		theirs();
		return 0;
	}
	child = begin_other(argv[0]);
	ours();
	end_other(child);
	return 0;
}

static cudaIpcMemHandle_t handle_of(void *memory)
{
	cudaIpcMemHandle_t handle;

	CHECK(cudaIpcGetMemHandle(&handle, memory));
	return handle;
}

static void *opened(const cudaIpcMemHandle_t &handle)
{
	void *memory = NULL;

	CHECK(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess));
	return memory;
}

static cudaEvent_t shared_event(cudaIpcEventHandle_t *handle)
{
	cudaEvent_t event;

	CHECK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
	CHECK(cudaIpcGetEventHandle(handle, event));
	return event;
}

static cudaEvent_t opened_event(const cudaIpcEventHandle_t &handle)
{
	cudaEvent_t event;

	CHECK(cudaIpcOpenEventHandle(&event, handle));
	return event;
}

#endif
