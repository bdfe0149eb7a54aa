// The main thread resets the device while the work of another thread is still pending.
// expect: SC-145 at=reset proven
// expect[FIXED]: clean
#include <pthread.h>
#include "testcases/common.h"

static const size_t bytes = 1 << 16;
static void *d_data;
static cudaStream_t stream;

static void *work(void *)
{
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	return NULL;
}

int main()
{
	pthread_t thread;

	CHECK(cudaMalloc(&d_data, bytes));
	CHECK(cudaStreamCreate(&stream));
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	CHECK(cudaDeviceReset()); // @reset
	return 0;
}
