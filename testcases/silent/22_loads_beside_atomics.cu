// Kernels of two streams change one word: by loops that read, compute and swap if nobody was
// faster, the first read of which is plain or volatile; and another one looks at the word by an
// atomic load. Plain reads without a swap collide with atomics (build PLAIN).
// expect: clean
// expect[PLAIN]: SC-106 at=look proven order=no_event
#include <cuda/atomic>

#include "testcases/common.h"

__device__ unsigned long long added(unsigned long long seen, double value)
{
	return __double_as_longlong(value + __longlong_as_double(seen));
}

__global__ void add(double *sum)
{
	unsigned long long *p = (unsigned long long *)sum, old = *p, assumed;

	do {
		assumed = old;
		old = atomicCAS(p, assumed, added(assumed, 1));
	} while (assumed != old);
}

__global__ void add_volatile(double *sum)
{
	unsigned long long *p = (unsigned long long *)sum, assumed;
	unsigned long long old = *(volatile unsigned long long *)p;

	do {
		assumed = old;
		old = atomicCAS(p, assumed, added(assumed, 1));
	} while (assumed != old);
}

__global__ void count(int *n)
{
	atomicAdd(n, 1);
}

__global__ void look(int *n, int *out)
{
#ifdef PLAIN
	*out = *n;
#else
	cuda::atomic_ref<int, cuda::thread_scope_device> word(*n);

	*out = word.load(cuda::memory_order_relaxed);
#endif
}

int main()
{
	double *sum, host;
	int *n, *out, all;
	cudaStream_t first, second;

	CHECK(cudaMalloc(&sum, sizeof(*sum)));
	CHECK(cudaMalloc(&n, sizeof(*n)));
	CHECK(cudaMalloc(&out, sizeof(*out)));
	CHECK(cudaMemset(sum, 0, sizeof(*sum)));
	CHECK(cudaMemset(n, 0, sizeof(*n)));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	add<<<2, 64, 0, first>>>(sum);
	add_volatile<<<2, 64, 0, second>>>(sum);
	count<<<2, 64, 0, first>>>(n);
	look<<<1, 1, 0, second>>>(n, out); // @look
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(&host, sum, sizeof(host), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(&all, n, sizeof(all), cudaMemcpyDeviceToHost));
	if (runs_kernels() && (host != 256 || all != 128))
		return EXIT_WRONG;
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(sum));
	CHECK(cudaFree(n));
	CHECK(cudaFree(out));
	return 0;
}
