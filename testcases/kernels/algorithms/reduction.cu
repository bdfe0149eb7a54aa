// Sums in four ways: a tree in dynamic shared memory, one in static shared memory in double
// precision, shuffles of a warp, and atomics alone. All must give the same number, which is exact.
// expect: clean
#include "testcases/common.h"

__global__ void sum_tree(const float *in, float *out, int n)
{
	extern __shared__ float part[];
	float mine = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		mine += in[i];
	part[threadIdx.x] = mine;
	__syncthreads();
	for (int half = blockDim.x / 2; half; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(out, part[0]);
}

__global__ void sum_double(const float *in, double *out, int n)
{
	__shared__ double part[128];
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	part[threadIdx.x] = i < n ? (double)in[i] : 0;
	for (int half = 64; half; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		atomicAdd(out, part[0]);
}

__global__ void sum_shuffled(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float mine = i < n ? in[i] : 0;

	for (int other = 16; other; other /= 2)
		mine += __shfl_down_sync(0xffffffff, mine, other);
	if (threadIdx.x % 32 == 0)
		atomicAdd(out, mine);
}

__global__ void sum_atomic(const float *in, unsigned long long *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		atomicAdd(out, (unsigned long long)in[i]);
}

struct sums {
	float tree, shuffled;
	double wide;
	unsigned long long whole;
};

int main()
{
	const int N = 20000;
	const size_t bytes = N * sizeof(float);
	float *h_in = pinned(bytes), *d_in = on_device(bytes);
	struct sums *d_sums, *h_sums;
	unsigned long long expected = 0;
	cudaStream_t stream;

	CHECK(cudaMalloc(&d_sums, sizeof(*d_sums)));
	CHECK(cudaMallocHost(&h_sums, sizeof(*h_sums)));
	CHECK(cudaStreamCreate(&stream));
	for (int i = 0; i < N; i++) {
		h_in[i] = (float)(i % 37);
		expected += i % 37;
	}
	CHECK(cudaMemcpyAsync(d_in, h_in, bytes, cudaMemcpyHostToDevice, stream));
	CHECK(cudaMemsetAsync(d_sums, 0, sizeof(*d_sums), stream));
	sum_tree<<<16, 256, 256 * sizeof(float), stream>>>(d_in, &d_sums->tree, N);
	sum_double<<<(N + 127) / 128, 128, 0, stream>>>(d_in, &d_sums->wide, N);
	sum_shuffled<<<(N + 63) / 64, 64, 0, stream>>>(d_in, &d_sums->shuffled, N);
	sum_atomic<<<(N + 255) / 256, 256, 0, stream>>>(d_in, &d_sums->whole, N);
	CHECK(cudaMemcpyAsync(h_sums, d_sums, sizeof(*h_sums), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	printf("%g %g %g %llu\n", h_sums->tree, h_sums->wide, h_sums->shuffled, h_sums->whole);
	if (runs_kernels() && (h_sums->tree != expected || h_sums->wide != expected ||
			       h_sums->shuffled != expected || h_sums->whole != expected))
		return EXIT_WRONG;
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_in));
	CHECK(cudaFree(d_sums));
	CHECK(cudaFreeHost(h_in));
	CHECK(cudaFreeHost(h_sums));
	return 0;
}
