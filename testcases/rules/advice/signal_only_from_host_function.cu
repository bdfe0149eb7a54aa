// A thread waits for a semaphore that only a host function posts: after an error it waits for ever.
// expect: SC-319 at=wait possible doubt=notifier
// expect[FIXED]: clean
// expect[TIMED]: clean
#include <semaphore.h>
#include <time.h>
#include "testcases/common.h"

#define PATIENCE_S 60

static sem_t done;

static void CUDART_CB post(void *data)
{
	sem_post((sem_t *)data);
}

static void wait_for_copy(cudaStream_t stream)
{
#if defined(FIXED)
	CHECK(cudaStreamSynchronize(stream));
#elif defined(TIMED)
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_S;
	if (sem_timedwait(&done, &until))
		CHECK(cudaStreamSynchronize(stream));
#else
	(void)stream;
	sem_wait(&done); // @wait
#endif
}

int main()
{
	const int N = 1 << 14;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes), *d_data = on_device(bytes);
	cudaStream_t stream;

	sem_init(&done, 0, 0);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaLaunchHostFunc(stream, post, &done));
	wait_for_copy(stream);
	verify(h_back, 0, N);
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream)); // the host function may still run behind its signal
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
