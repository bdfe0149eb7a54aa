// A thread makes a stream, and another one uses it as soon as an atomic says so: right, but for a
// plain flag the same would be seen.
// options: hosts=strict
// expect: SC-211 at=use possible doubt=handed_over
// expect[FIXED]: clean
#include <pthread.h>
#include <thread>
#include "testcases/common.h"
#include "testcases/unseen.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unseen is_made;
static cudaStream_t made;

static void make()
{
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	pthread_mutex_lock(&lock);
	made = stream;
	pthread_mutex_unlock(&lock);
	is_made.set();
}

static cudaStream_t take()
{
	cudaStream_t stream;

	is_made.await();
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	stream = made;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return stream;
}

int main()
{
	const size_t bytes = 1 << 16;
	float *d_data = on_device(bytes);
	std::thread maker(make);
	cudaStream_t stream = take();

	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream)); // @use
	maker.join();
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
}
