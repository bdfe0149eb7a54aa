// A service: requests go through a pinned buffer until a line arrives on standard input, so that a
// test decides how long it lives. Argument:
//
//   clean      the host writes the buffer when its copy has ended
//   writes     it writes the first request's buffer while the copy may still read it
//   polls      it reads a word again and again until the device has written it
//   child      another process of this program does `writes`
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include "testcases/common.h"

#define ELEMENTS 1024

static const char *way;
static cudaStream_t stream;
static float *h_request, *d_request;
static volatile unsigned *h_word;

static bool is(const char *name)
{
	return !strcmp(way, name);
}

static void serve(int request)
{
	CHECK(cudaMemcpyAsync(d_request, h_request, ELEMENTS * sizeof(float),
			      cudaMemcpyHostToDevice, stream));
	if (is("writes") && request == 1)
		h_request[0] = 1; // @write
	CHECK(cudaStreamSynchronize(stream));
	h_request[0] = (float)request;
}

// Late enough for the host to look more than once.
static __global__ void set(volatile unsigned *word, unsigned number)
{
	long long start = clock64();

	while (clock64() - start < 1000000)
		;
	*word = number;
}

// The word is its own sign that the kernel has written it.
static void wait_for_word(unsigned number)
{
	set<<<1, 1, 0, stream>>>(h_word, number);
	while (*h_word != number)
		;
}

static bool is_over(void)
{
	struct pollfd input = {0, POLLIN, 0};

	return poll(&input, 1, 5) > 0;
}

static int run_child(char *program)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		execl(program, program, "writes", (char *)NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_WRONG;
}

int main(int argc, char **argv)
{
	way = argc > 1 ? argv[1] : "clean";
	if (is("child"))
		return run_child(argv[0]);
	h_request = pinned(ELEMENTS * sizeof(float));
	d_request = on_device(ELEMENTS * sizeof(float));
	h_word = (volatile unsigned *)pinned(4096);
	CHECK(cudaStreamCreate(&stream));
	printf("ready\n");
	fflush(stdout);
	for (int request = 1; !is_over(); request++) {
		if (is("polls"))
			wait_for_word((unsigned)request);
		else
			serve(request);
	}
	CHECK(cudaStreamSynchronize(stream));
	printf("ended\n");
	return 0;
}
