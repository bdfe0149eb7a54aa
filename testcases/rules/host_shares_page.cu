// Sixteen threads count beside and between the operands of copies in flight, on the same pages, and
// lock a mutex there; nothing is lost, and what was copied is right to the last byte.
// expect: clean
#include <pthread.h>
#include "testcases/common.h"

static const int threads = 16, turns = 30, cell = 256, used = 192;
static char *h_data, *h_back, *d_data;
static pthread_mutex_t *lock;
static long *total;

static char *of(char *data, int thread, int offset)
{
	return data + 4096 + thread * cell + offset;
}

static void *work(void *number)
{
	int me = (int)(long)number;
	volatile long *count = (volatile long *)of(h_data, me, used);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	for (int i = 0; i < turns; i++) {
		memset(of(h_data, me, 0), me + i, used);
		CHECK(cudaMemcpyAsync(of(d_data, me, 0), of(h_data, me, 0), used,
				      cudaMemcpyHostToDevice, stream));
		CHECK(cudaMemcpyAsync(of(h_back, me, 0), of(d_data, me, 0), used,
				      cudaMemcpyDeviceToHost, stream));
		for (int k = 0; k < 5; k++)
			*count = *count + 1;
		pthread_mutex_lock(lock);
		*total = *total + 1;
		pthread_mutex_unlock(lock);
		CHECK(cudaStreamSynchronize(stream));
		for (int k = 0; k < used; k++) {
			if (*of(h_back, me, k) != (char)(me + i))
				exit(EXIT_WRONG);
		}
	}
	CHECK(cudaStreamDestroy(stream));
	return NULL;
}

int main()
{
	const size_t bytes = 4096 + threads * cell;
	pthread_t thread[threads];

	h_data = (char *)pinned(bytes);
	h_back = (char *)pinned(bytes);
	d_data = (char *)on_device(bytes);
	lock = (pthread_mutex_t *)(h_data + 4096 + used + 16);
	total = (long *)(h_data + 4096 + used + 56);
	pthread_mutex_init(lock, NULL);
	for (long i = 0; i < threads; i++) {
		if (pthread_create(&thread[i], NULL, work, (void *)i))
			return EXIT_WRONG;
	}
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < threads; i++) {
		if (*(long *)of(h_data, i, used) != 5L * turns)
			return EXIT_WRONG;
	}
	if (*total != (long)threads * turns)
		return EXIT_WRONG;
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
