// A persistent kernel of several blocks takes jobs from a queue in mapped memory, which the host
// fills while the kernel runs; copies in another stream go on beside it. The last job ends it.
// expect: clean
// options: guard=off advice=no
#include "testcases/common.h"

#define JOBS   40
#define BLOCKS 3

struct queue {
	volatile int posted; // jobs
	volatile int values[JOBS];
};

__device__ int taken;

__global__ void serve(struct queue *q, int *results)
{
	__shared__ int job;

	for (;;) {
		if (threadIdx.x == 0) {
			job = atomicAdd(&taken, 1);
			while (job < JOBS && q->posted <= job)
				;
		}
		__syncthreads();
		if (job >= JOBS)
			return;
		atomicAdd(&results[job], q->values[job] * (int)threadIdx.x);
		__syncthreads();
	}
}

static __attribute__((noinline)) void post(struct queue *q, int i)
{
	q->values[i] = i + 1;
	__sync_synchronize();
	q->posted = i + 1;
}

int main()
{
	const size_t bytes = 1 << 16;
	int *results, back[JOBS];
	struct queue *q, *device;
	float *other, *from = pinned(bytes);
	cudaStream_t streams[2];

	if (!runs_kernels())
		return EXIT_SKIPPED;
	other = on_device(bytes);
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
	CHECK(cudaHostAlloc(&q, sizeof(*q), cudaHostAllocMapped));
	memset(q, 0, sizeof(*q));
	CHECK(cudaHostGetDevicePointer(&device, q, 0));
	CHECK(cudaMalloc(&results, sizeof(back)));
	CHECK(cudaMemset(results, 0, sizeof(back)));
	CHECK(cudaDeviceSynchronize());
	serve<<<BLOCKS, 64, 0, streams[0]>>>(device, results);
	for (int i = 0; i < JOBS; i++) {
		post(q, i);
		CHECK(cudaMemcpyAsync(other, from, bytes, cudaMemcpyHostToDevice, streams[1]));
		CHECK(cudaStreamSynchronize(streams[1]));
	}
	CHECK(cudaStreamSynchronize(streams[0]));
	CHECK(cudaMemcpy(back, results, sizeof(back), cudaMemcpyDeviceToHost));
	for (int i = 0; i < JOBS; i++)
		if (back[i] != (i + 1) * 64 * 63 / 2)
			return EXIT_WRONG;
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamDestroy(streams[i]));
	CHECK(cudaFree(results));
	CHECK(cudaFree(other));
	CHECK(cudaFreeHost(from));
	CHECK(cudaFreeHost(q));
	return 0;
}
