// Copies from global to shared memory that run while the block computes (cp.async): while one
// stage is summed, the next one is on its way. Every sum is compared.
// expect: clean
// nvcc: -arch=sm_90
#include <cuda_pipeline.h>
#include "testcases/common.h"

#define THREADS 128
#define STAGES	2
#define TURNS	8

// Each thread copies its 16 bytes of a stage, and sums its left neighbour's.
__global__ void sum_stages(const float4 *in, float *out)
{
	__shared__ float4 stage[STAGES][THREADS];
	const float4 *mine = in + (size_t)blockIdx.x * TURNS * THREADS + threadIdx.x;
	float sum = 0;

	__pipeline_memcpy_async(&stage[0][threadIdx.x], mine, sizeof(float4));
	__pipeline_commit();
	for (int turn = 0; turn < TURNS; turn++) {
		if (turn + 1 < TURNS)
			__pipeline_memcpy_async(&stage[(turn + 1) % STAGES][threadIdx.x],
						mine + (size_t)(turn + 1) * THREADS,
						sizeof(float4));
		__pipeline_commit();
		__pipeline_wait_prior(1);
		__syncthreads();
		float4 left = stage[turn % STAGES][(threadIdx.x + THREADS - 1) % THREADS];

		sum += left.x + left.y + left.z + left.w;
		__syncthreads();
	}
	out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

static float sum_of(const float *in, int block, int thread)
{
	float sum = 0;

	for (int turn = 0; turn < TURNS; turn++)
		for (int i = 0; i < 4; i++)
			sum += in[((block * TURNS + turn) * THREADS +
				   (thread + THREADS - 1) % THREADS) *
					  4 +
				  i];
	return sum;
}

int main()
{
	const int BLOCKS = 6, N = BLOCKS * TURNS * THREADS * 4;
	float *h_in = pinned(N * sizeof(float));
	float *h_out = pinned(BLOCKS * THREADS * sizeof(float));
	float *d_in = on_device(N * sizeof(float));
	float *d_out = on_device(BLOCKS * THREADS * sizeof(float));
	int wrong = 0;

	for (int i = 0; i < N; i++)
		h_in[i] = (float)(i % 1009);
	CHECK(cudaMemcpy(d_in, h_in, N * sizeof(float), cudaMemcpyHostToDevice));
	sum_stages<<<BLOCKS, THREADS>>>((const float4 *)d_in, d_out);
	CHECK(cudaMemcpy(h_out, d_out, BLOCKS * THREADS * sizeof(float), cudaMemcpyDeviceToHost));
	for (int i = 0; i < BLOCKS * THREADS; i++)
		wrong += h_out[i] != sum_of(h_in, i / THREADS, i % THREADS);
	if (runs_kernels() && wrong)
		return EXIT_WRONG;
	CHECK(cudaFree(d_in));
	CHECK(cudaFree(d_out));
	CHECK(cudaFreeHost(h_in));
	CHECK(cudaFreeHost(h_out));
	return 0;
}
