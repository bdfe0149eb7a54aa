// One stream is held by a host function until a line arrives on standard input, and the host waits
// for it; another has nothing to do; a third has a hostile name. Then more requests, one a line.
#include <unistd.h>
#include "include/streamcheck/streamcheck.h"
#include "testcases/common.h"

#define ELEMENTS 4096

static __global__ void twice(float *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] *= 2;
}

static void read_line(void *)
{
	char c = 0;

	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
		;
}

int main()
{
	cudaStream_t held, idle, hostile;
	float *d_data = on_device(ELEMENTS * sizeof(float));
	void *pool;
	char c;

	CHECK(cudaStreamCreate(&held));
	CHECK(cudaStreamCreate(&idle));
	CHECK(cudaStreamCreate(&hostile));
	streamcheck_name_stream(held, "requests");
	streamcheck_name_stream(hostile, "\033[2J\033]0;gone\007 and\nmore");
	CHECK(cudaMallocAsync(&pool, 1 << 20, idle));
	CHECK(cudaMemsetAsync(pool, 0, 1 << 20, idle));
	CHECK(cudaStreamSynchronize(idle));
	CHECK(cudaMemsetAsync(d_data, 0, ELEMENTS * sizeof(float), held));
	CHECK(cudaLaunchHostFunc(held, read_line, nullptr));
	twice<<<ELEMENTS / 256, 256, 0, held>>>(d_data, ELEMENTS); // @launch
	CHECK(cudaGetLastError());
	printf("ready\n");
	fflush(stdout);
	CHECK(cudaStreamSynchronize(held)); // @wait
	CHECK(cudaFreeAsync(pool, idle));
	CHECK(cudaStreamSynchronize(idle));
	printf("waited\n");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) == 1)
		;
	CHECK(cudaFree(d_data));
	return 0;
}
