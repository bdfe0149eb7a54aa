// Two host functions that take their time, in two streams: drivers run one after the other. Fixed,
// they are in one stream, as they cannot overlap anyway.
// expect: SC-316 at=second proven
// expect[FIXED]: clean
#include <unistd.h>
#include <atomic>
#include "testcases/common.h"

#define LONG_US	   20000
#define PATIENCE_S 20

static std::atomic<bool> are_both_in;

// Begins to take its time when both are enqueued. It must not wait for the host for ever (C-5).
static void CUDART_CB write_file(void *data)
{
	(void)data;
	for (int i = 0; i < PATIENCE_S * 1000 && !are_both_in; i++)
		usleep(1000);
	usleep(LONG_US);
}

int main()
{
	cudaStream_t first, second;

	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	CHECK(cudaLaunchHostFunc(first, write_file, NULL));
#ifdef FIXED
	CHECK(cudaLaunchHostFunc(first, write_file, NULL));
#else
	CHECK(cudaLaunchHostFunc(second, write_file, NULL)); // @second
#endif
	are_both_in = true;
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	return 0;
}
