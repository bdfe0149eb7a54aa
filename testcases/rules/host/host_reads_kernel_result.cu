// The host reads what a kernel writes through a pointer to pinned, registered or managed memory.
// expect: SC-101 at=read proven order=none
// expect[MANAGED]: SC-101 at=read proven order=none
// expect[REGISTERED]: SC-101 at=read proven order=none
// expect[MEMBER]: SC-101 at=read proven order=none
// expect[OTHER]: clean
// expect[FIXED]: clean
#include "testcases/common.h"

struct task {
	int count;
	float *out;
};

static __global__ void write(struct task task)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < task.count)
		task.out[i] = 7;
}

static __global__ void write_plain(float *out, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		out[i] = 7;
}

int main()
{
	const int N = 1 << 14;
	const size_t bytes = N * sizeof(float);
	float *h_data, *h_other = pinned(bytes), *device;

#if defined(MANAGED) || defined(MEMBER)
	CHECK(cudaMallocManaged(&h_data, bytes));
	device = h_data;
#elif defined(REGISTERED)
	h_data = (float *)aligned_alloc(4096, bytes);
	CHECK(cudaHostRegister(h_data, bytes, cudaHostRegisterMapped));
	CHECK(cudaHostGetDevicePointer(&device, h_data, 0));
#else
	h_data = pinned(bytes);
	device = h_data;
#endif
	fill(h_data, 0, N);
#ifdef MEMBER
	write<<<N / 256, 256>>>((struct task){N, device});
#else
	write_plain<<<N / 256, 256>>>(device, N);
#endif
	CHECK(cudaGetLastError());
#if defined(FIXED)
	CHECK(cudaDeviceSynchronize());
	verify_kernel(h_data, 7, N);
#elif defined(OTHER)
	verify(h_other, 0, N);
	CHECK(cudaDeviceSynchronize());
#else
	printf("%g\n", sum(h_data, N)); // @read
	CHECK(cudaDeviceSynchronize());
#endif
	CHECK(cudaFreeHost(h_other));
	return 0;
}
