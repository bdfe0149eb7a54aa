/* The sample program: reads a result before, or if FIXED after, the wait for it. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#define BYTES 4096

static int fetch(char *host, const char *device, cudaStream_t stream)
{
	int sum = 0;

	cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, stream);
#ifdef FIXED
	cudaStreamSynchronize(stream);
#endif
	for (int i = 0; i < BYTES; i++)
		sum += host[i];
	cudaStreamSynchronize(stream);
	return sum;
}

int main(void)
{
	cudaStream_t stream;
	void *host, *device;

	if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) ||
	    cudaMallocHost(&host, BYTES) || cudaMalloc(&device, BYTES))
		return 1;
	memset(host, 0, BYTES);
	printf("%d\n", fetch(host, device, stream) >= 0);
	cudaFree(device);
	cudaFreeHost(host);
	cudaStreamDestroy(stream);
	return 0;
}
