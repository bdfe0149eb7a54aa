// "Per-thread Default Stream": each host thread has its own default stream and waits for it. With
// -DOTHER_THREAD the main thread waits for its own stream and reads what the other's copies.
// nvcc: --default-stream per-thread
// expect: clean
// expect[OTHER_THREAD]: SC-101 cause=SC-146 at=read proven
#include <pthread.h>
#include "testcases/common.h"

struct work {
	float *h_data, *h_back, *d_data;
	int N;
};

static void prepare(struct work *w, int N, float value)
{
	const size_t bytes = N * sizeof(float);

	w->N = N;
	w->h_data = pinned(bytes);
	w->h_back = pinned(bytes);
	w->d_data = on_device(bytes);
	fill(w->h_data, value, N);
}

static void enqueue(struct work *w)
{
	const size_t bytes = w->N * sizeof(float);

	CHECK(cudaMemcpyAsync(w->d_data, w->h_data, bytes, cudaMemcpyHostToDevice, 0));
	CHECK(cudaMemcpyAsync(w->h_back, w->d_data, bytes, cudaMemcpyDeviceToHost, 0));
}

static void *run(void *arg)
{
	struct work *w = (struct work *)arg;

	enqueue(w);
#ifndef OTHER_THREAD
	CHECK(cudaStreamSynchronize(0));
	verify(w->h_back, 2, w->N);
#endif
	return NULL;
}

static void finish(struct work *w)
{
	CHECK(cudaFree(w->d_data));
	CHECK(cudaFreeHost(w->h_data));
	CHECK(cudaFreeHost(w->h_back));
}

int main()
{
	const int N = 1 << 16;
	struct work mine, other;
	pthread_t thread;

	prepare(&mine, N, 1);
	prepare(&other, N, 2);
	if (pthread_create(&thread, NULL, run, &other))
		return 1;
	enqueue(&mine);
	pthread_join(thread, NULL);
	CHECK(cudaStreamSynchronize(0));
	verify(mine.h_back, 1, N);
#ifdef OTHER_THREAD
	printf("sum %g\n", sum(other.h_back, N)); // @read
	CHECK(cudaDeviceSynchronize());
#endif
	finish(&mine);
	finish(&other);
	return 0;
}
