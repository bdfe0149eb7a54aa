// Probe 13 (C-A1, SC-149; L-2): a pageable source filled by a callback; a PDL chain with a gap.
#include "probe.h"

static void fill(void *p)
{
	std::this_thread::sleep_for(std::chrono::milliseconds(20));
	*(volatile int *)p = 2;
}

static __global__ void long_writer(int *data)
{
	unsigned long long start, now;

	cudaTriggerProgrammaticLaunchCompletion();
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	do {
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	} while (now - start < 20000000ull);
	*(volatile int *)data = 1;
}

static __global__ void no_wait()
{
	cudaTriggerProgrammaticLaunchCompletion();
}

static __global__ void with_wait(const int *data, int *seen)
{
	cudaGridDependencySynchronize();
	*(volatile int *)seen = *(const volatile int *)data;
}

int main()
{
	cudaStream_t stream;
	int *heap = (int *)malloc(sizeof(int)), *device, *seen, got = 0;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&device, sizeof(int)));
	CHECK(cudaMallocHost(&seen, sizeof(int)));
	*heap = 1;
	CHECK(cudaLaunchHostFunc(stream, fill, heap));
	CHECK(cudaMemcpyAsync(device, heap, sizeof(int), cudaMemcpyHostToDevice, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(&got, device, sizeof(int), cudaMemcpyDeviceToHost));
	fact("pageable source filled by a callback of the same stream, then copied async",
	     got == 2 ? "device has the callback's data" : "device has the OLD data");

	CHECK(cudaMemset(device, 0, sizeof(int)));
	CHECK(cudaDeviceSynchronize());
	long_writer<<<1, 1, 0, stream>>>(device);
	launch_programmatic(stream, no_wait);
	launch_programmatic(stream, with_wait, (const int *)device, seen);
	CHECK(cudaStreamSynchronize(stream));
	fact("PDL chain K1 -> K2 (no wait) -> K3 (wait): K3 sees K1's data",
	     *seen == 1 ? "yes" : "NO");
	free(heap);
	return 0;
}
