// Control flow that lanes of a warp take differently: Mandelbrot's loop, early exits, a lock that
// the lanes of a warp take in turn, and a barrier of all blocks made of an atomic.
// expect: clean
// nvcc: --fmad=false
#include "testcases/common.h"

static const int SIDE = 64, MOST = 200;

// The same on the host and on the device: no operation is fused.
__host__ __device__ static int turns(int at)
{
	float cx = -2.0f + 3.0f * (float)(at % SIDE) / SIDE;
	float cy = -1.5f + 3.0f * (float)(at / SIDE) / SIDE;
	float x = 0, y = 0;

	for (int i = 0; i < MOST; i++) {
		float next = x * x - y * y + cx;

		y = 2 * x * y + cy;
		x = next;
		if (x * x + y * y > 4)
			return i;
	}
	return MOST;
}

__global__ void mandelbrot(int *out)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x;

	if (at >= SIDE * SIDE)
		return;
	out[at] = turns(at);
}

__global__ void count_locked(int *lock, volatile int *count)
{
	bool is_done = false;

	while (!is_done) {
		if (atomicCAS(lock, 0, 1) == 0) {
			*count = *count + 1;
			__threadfence();
			atomicExch(lock, 0);
			is_done = true;
		}
	}
}

// Each block waits until all have arrived; then all see what all have written.
__global__ void meet(volatile int *arrived, volatile int *values, int *sums)
{
	__shared__ int sum;

	if (threadIdx.x == 0) {
		values[blockIdx.x] = blockIdx.x + 1;
		__threadfence();
		atomicAdd((int *)arrived, 1);
		while (*arrived < gridDim.x)
			;
		sum = 0;
		for (int i = 0; i < gridDim.x; i++)
			sum += values[i];
	}
	__syncthreads();
	if (threadIdx.x == 33)
		sums[blockIdx.x] = sum;
}

int main()
{
	const int BLOCKS = 6;
	int *d_pixels, *h_pixels, *d_words, *h_words;
	const size_t bytes = SIDE * SIDE * sizeof(int), words = (4 + 2 * BLOCKS) * sizeof(int);

	CHECK(cudaMalloc(&d_pixels, bytes));
	CHECK(cudaMalloc(&d_words, words));
	CHECK(cudaMallocHost(&h_pixels, bytes));
	CHECK(cudaMallocHost(&h_words, words));
	CHECK(cudaMemset(d_words, 0, words));
	mandelbrot<<<(SIDE * SIDE + 95) / 96, 96>>>(d_pixels);
	count_locked<<<2, 48>>>(d_words, d_words + 1);
	meet<<<BLOCKS, 64>>>(d_words + 2, d_words + 4, d_words + 4 + BLOCKS);
	CHECK(cudaMemcpy(h_pixels, d_pixels, bytes, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(h_words, d_words, words, cudaMemcpyDeviceToHost));
	for (int i = 0; runs_kernels() && i < SIDE * SIDE; i++)
		if (h_pixels[i] != turns(i))
			return EXIT_WRONG;
	if (runs_kernels() && h_words[1] != 96)
		return EXIT_WRONG;
	for (int i = 0; runs_kernels() && i < BLOCKS; i++)
		if (h_words[4 + BLOCKS + i] != BLOCKS * (BLOCKS + 1) / 2)
			return EXIT_WRONG;
	CHECK(cudaFree(d_pixels));
	CHECK(cudaFree(d_words));
	CHECK(cudaFreeHost(h_pixels));
	CHECK(cudaFreeHost(h_words));
	return 0;
}
