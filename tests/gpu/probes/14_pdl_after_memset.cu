// Probe 14 (L-2): does a PDL secondary start early after a memset or copy?
#include "probe.h"

static __global__ void look(const unsigned char *data, size_t n, int *early)
{
	if (*(const volatile unsigned char *)(data + n - 1) != 7)
		*(volatile int *)early = 1;
}

int main()
{
	const size_t bytes = (size_t)2 << 30;
	cudaStream_t stream;
	unsigned char *device;
	int *early, runs = 0;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&device, bytes));
	CHECK(cudaMallocHost(&early, sizeof(int)));
	for (int round = 0; round < 20; round++) {
		CHECK(cudaMemset(device, 0, bytes));
		CHECK(cudaDeviceSynchronize());
		*early = 0;
		CHECK(cudaMemsetAsync(device, 7, bytes, stream));
		launch_programmatic(stream, look, (const unsigned char *)device, bytes, early);
		CHECK(cudaStreamSynchronize(stream));
		runs += *early;
	}
	printf("fact: PDL secondary after a 2 GiB memset started early = %d of 20\n", runs);
	return 0;
}
