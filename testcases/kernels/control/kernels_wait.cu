// Kernels wait for kernels of other streams: each consumer is enqueued before its producer, and
// there are more of them than a small device has workers. Words in device memory hand items over.
// A GPU would load the second kernel's code when it is launched, and wait for the first one then.
// env: CUDA_MODULE_LOADING=EAGER
// expect: SC-105 at=produce possible doubt=signal_in_memory
#include "testcases/common.h"

#define PAIRS 6
#define ITEMS 32

struct channel {
	volatile int full, value;
};

__global__ void consume(struct channel *c, int *sum)
{
	int total = 0;

	for (int i = 0; i < ITEMS; i++) {
		while (!c->full)
			;
		__threadfence();
		total += c->value;
		c->full = 0;
	}
	*sum = total;
}

__global__ void produce(struct channel *c, int scale)
{
	for (int i = 0; i < ITEMS; i++) {
		c->value = i * scale;
		__threadfence();
		c->full = 1;
		while (c->full)
			;
	}
}

int main()
{
	cudaStream_t streams[2 * PAIRS];
	struct channel *channels;
	int *sums, back[PAIRS];

	if (!runs_kernels())
		return EXIT_SKIPPED;
	CHECK(cudaMalloc(&channels, PAIRS * sizeof(*channels)));
	CHECK(cudaMemset(channels, 0, PAIRS * sizeof(*channels)));
	CHECK(cudaMalloc(&sums, PAIRS * sizeof(*sums)));
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 2 * PAIRS; i++)
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
	for (int i = 0; i < PAIRS; i++)
		consume<<<1, 1, 0, streams[i]>>>(channels + i, sums + i);
	for (int i = 0; i < PAIRS; i++)
		produce<<<1, 1, 0, streams[PAIRS + i]>>>(channels + i, i + 1); // @produce
	for (int i = 0; i < 2 * PAIRS; i++)
		CHECK(cudaStreamSynchronize(streams[i]));
	CHECK(cudaMemcpy(back, sums, sizeof(back), cudaMemcpyDeviceToHost));
	for (int i = 0; i < PAIRS; i++)
		if (back[i] != (i + 1) * ITEMS * (ITEMS - 1) / 2)
			return EXIT_WRONG;
	for (int i = 0; i < 2 * PAIRS; i++)
		CHECK(cudaStreamDestroy(streams[i]));
	CHECK(cudaFree(channels));
	CHECK(cudaFree(sums));
	return 0;
}
