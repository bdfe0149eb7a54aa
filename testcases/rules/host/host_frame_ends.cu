// A function returns, or a thread ends, while the device still uses a buffer on its stack.
// expect: SC-104 at=next proven order=none
// expect[THREAD]: SC-104 at=start proven order=none
// expect[FIXED]: clean
#include <pthread.h>
#include "testcases/common.h"

static const size_t bytes = 1 << 14;
static float *d_data;
static cudaStream_t stream;

static __attribute__((noinline)) void *start(void *unused)
{
	float h_data[bytes / sizeof(float)];

	fill(h_data, 3, bytes / sizeof(float));
	CHECK(cudaHostRegister(h_data, bytes, cudaHostRegisterDefault));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream)); // @start
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaHostUnregister(h_data));
#endif
	return unused;
}

int main()
{
	d_data = on_device(bytes);
	CHECK(cudaStreamCreate(&stream));
#ifdef THREAD
	pthread_t thread;

	if (pthread_create(&thread, NULL, start, NULL) || pthread_join(thread, NULL))
		return EXIT_WRONG;
#else
	start(NULL);
#endif
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream)); // @next
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
}
