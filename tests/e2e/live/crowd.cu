// Two processes of several threads, each with streams of its own, that go on until they are told to
// end, and count each call that has returned in a file: it outlives them, however they end.
// Argument: FILE, a struct counts.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
#include "testcases/common.h"

#define PROCESSES 2
#define THREADS	  3
#define ELEMENTS  32
#define OFTEN	  100 // rounds between two waits of the host

// Read by test_crowd.py.
struct counts {
	long ends;	       // set from outside: all end
	long pids[PROCESSES];  // once it has recorded something
	long races[PROCESSES]; // of which both operations have returned
	struct {
		long kernels, copies;
	} threads[PROCESSES][THREADS];
};

static volatile struct counts *counts;

static __global__ void fill_all(float *values, float number)
{
	values[threadIdx.x] = number;
}

static void work(int process, int thread)
{
	volatile long *kernels = &counts->threads[process][thread].kernels;
	volatile long *copies = &counts->threads[process][thread].copies;
	size_t bytes = ELEMENTS * sizeof(float);
	float *host = pinned(bytes), *data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (int i = 0; !counts->ends; i++) {
		fill_all<<<1, ELEMENTS, 0, stream>>>(data, (float)i);
		++*kernels;
		CHECK(cudaMemcpyAsync(host, data, bytes, cudaMemcpyDeviceToHost, stream));
		++*copies;
		if (i % OFTEN == 0)
			CHECK(cudaStreamSynchronize(stream));
	}
	CHECK(cudaStreamSynchronize(stream));
}

// The copy does not wait for the kernel.
static void race(int process)
{
	size_t bytes = ELEMENTS * sizeof(float);
	float *host = pinned(bytes), *data = on_device(bytes);
	cudaStream_t first, second;

	CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	fill_all<<<1, ELEMENTS, 0, first>>>(data, 1);
	CHECK(cudaMemcpyAsync(host, data, bytes, cudaMemcpyDeviceToHost, second));
	CHECK(cudaDeviceSynchronize());
	counts->races[process] = 1;
}

int main(int argc, char **argv)
{
	int file = argc == 2 ? open(argv[1], O_RDWR) : -1;
	std::vector<std::thread> threads;
	pid_t child;
	int process;

	counts = (volatile struct counts *)mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
						MAP_SHARED, file, 0);
	if (counts == MAP_FAILED) {
		fprintf(stderr, "usage: crowd FILE\n");
		return EXIT_WRONG;
	}
	child = fork(); // CUDA does not survive it
	process = child == 0;
	race(process);
	counts->pids[process] = getpid();
	for (int i = 0; i < THREADS; i++)
		threads.emplace_back(work, process, i);
	for (std::thread &thread : threads)
		thread.join();
	if (child)
		waitpid(child, NULL, 0);
	return 0;
}
