/* Reads results too early, in three functions: one is the bug, one is accepted, one is known.
 *
 * FIXED in the environment mends the bug; WASTEFUL copies once more than the budget allows.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES 4096
#define APART __attribute__((noinline))

static char *host, *device;
static cudaStream_t stream;

static void start(void)
{
	if (cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, stream))
		exit(1);
}

/* The bug. */
static APART int fetch(void)
{
	start();
	if (getenv("FIXED"))
		cudaStreamSynchronize(stream);
	return host[0];
}

/* Accepted by accepted.txt. */
static APART int peek(void)
{
	start();
	return host[1];
}

/* Stands in the baseline, known.txt. */
static APART int drain(void)
{
	start();
	return host[2];
}

int main(void)
{
	int sum = 0;

	if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) ||
	    cudaMallocHost((void **)&host, BYTES) || cudaMalloc((void **)&device, BYTES))
		return 1;
	sum += fetch();
	cudaStreamSynchronize(stream);
	sum += peek();
	cudaStreamSynchronize(stream);
	sum += drain();
	cudaStreamSynchronize(stream);
	if (getenv("WASTEFUL"))
		start();
	cudaStreamSynchronize(stream);
	printf("%d\n", sum);
	cudaFree(device);
	cudaFreeHost(host);
	cudaStreamDestroy(stream);
	return 0;
}
