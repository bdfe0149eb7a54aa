// A kernel and the host take turns by flags in mapped memory while the kernel runs: each answers
// what the other has written. No call of the host waits in between, so a device that begins the
// kernel late, or that waits for its end, would hang. What the page guard sees of it is luck.
// expect: clean
// options: guard=off
#include "testcases/common.h"

#define TURNS 20

struct mailbox {
	volatile int asked, answered;
};

__global__ void ask(struct mailbox *box, int *results)
{
	for (int i = 1; i <= TURNS; i++) {
		box->asked = i;
		__threadfence_system();
		while (box->answered != i * i)
			;
		results[i - 1] = box->answered + 1;
	}
}

static __attribute__((noinline)) void wait_for(const struct mailbox *box, int turn)
{
	while (box->asked != turn)
		;
}

static __attribute__((noinline)) void answer(struct mailbox *box, int value)
{
	box->answered = value;
}

int main()
{
	struct mailbox *box, *device;
	int *results, back[TURNS];
	cudaStream_t stream;

	if (!runs_kernels())
		return EXIT_SKIPPED;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaHostAlloc(&box, sizeof(*box), cudaHostAllocMapped));
	memset(box, 0, sizeof(*box));
	CHECK(cudaHostGetDevicePointer(&device, box, 0));
	CHECK(cudaMalloc(&results, sizeof(back)));
	ask<<<1, 1, 0, stream>>>(device, results);
	for (int i = 1; i <= TURNS; i++) {
		wait_for(box, i);
		answer(box, i * i);
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(back, results, sizeof(back), cudaMemcpyDeviceToHost));
	for (int i = 1; i <= TURNS; i++)
		if (back[i - 1] != i * i + 1)
			return EXIT_WRONG;
	CHECK(cudaFree(results));
	CHECK(cudaFreeHost(box));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
