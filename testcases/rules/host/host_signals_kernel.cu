// A kernel waits for a flag that the host sets in mapped memory, and a copy after it takes what the
// host has filled before: legal where both see each other's writes (M-4). That the host sets the
// flag while the kernel waits for it is no race.
// expect: SC-102 at=fill possible doubt=signal_in_memory
// expect[PLAIN]: SC-102 at=fill proven order=none
// expect[PLAIN]: SC-102 at=set proven order=none
// expect[FIXED]: clean
#include "testcases/common.h"

static const int N = 1 << 16;

#ifdef PLAIN
static __global__ void gate(const int *flag, int *seen)
{
	*seen = *flag;
}
#else
static __global__ void gate(const volatile int *flag, int *seen)
{
	while (!*flag)
		;
	*seen = 1;
}
#endif

int main()
{
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *d_data = on_device(bytes);
	int *flag, *d_flag, *d_seen;
	cudaStream_t stream;

	CHECK(cudaHostAlloc(&flag, sizeof(*flag), cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer(&d_flag, flag, 0));
	CHECK(cudaMalloc(&d_seen, sizeof(*d_seen)));
	CHECK(cudaStreamCreate(&stream));
	*flag = 0;
	fill(h_data, 0, N);
#ifdef FIXED
	fill(h_data, 1, N);
	*flag = 1;
#endif
	gate<<<1, 1, 0, stream>>>(d_flag, d_seen);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
#ifndef FIXED
	fill(h_data, 1, N);	   // @fill
	*(volatile int *)flag = 1; // @set
#endif
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_seen));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(flag));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
