// A functor has a pointer to the host's memory, which only the host uses; the kernel reads
// through an address that it loads from a table. The code never loads the pointer; if the
// functor is copied as a whole, any address may be it.
// expect: clean
// expect[COPIED]: SC-127 at=apply possible doubt=upper_bound when=unexecuted
// expect[COMPARED]: clean
#include "testcases/compute.h"

struct functor {
	float *host; // for the host's own calls
	float *const *table;
	float *out;

	__device__ void operator()(int i) const
	{
		out[i] = table[0][i];
	}
};

__global__ void apply(functor f)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
#ifdef COPIED
	functor copy[2] = {f, f};

	copy[threadIdx.x > 128](i);
#elif defined(COMPARED)
	if (f.host != (float *)f.table)
		f(i);
#else
	f(i);
#endif
}

int main()
{
	const int N = 1 << 12;
	float *host = (float *)malloc(N * sizeof(float)), *back = host_array<float>(N);
	float *data = device_zeros<float>(N), *out = device_zeros<float>(N);
	float **table = device_copy(&data, 1);

	fill(host, 3, N);
	CHECK(cudaMemcpy(data, host, N * sizeof(float), cudaMemcpyHostToDevice));
	CHECK(cudaDeviceSynchronize());
	apply<<<N / 256, 256>>>((functor){host, table, out}); // @apply
	CHECK(cudaGetLastError());
	read_back(back, out, N);
	verify_kernel(back, 3, N);
	free_device(data, out);
	free_device(table);
	free_host(back);
	free(host);
	return 0;
}
