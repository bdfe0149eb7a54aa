// Sixteen threads count beside and between the operands of copies in flight, on the same pages, and
// lock a mutex there, while the rows of a large buffer travel past what they write between the
// rows; nothing is lost, and what was copied is right to the last byte. The digest of all bytes is
// the same with streamcheck and without (tests/e2e/test_same_bytes.py).
// expect: clean
#include <pthread.h>
#include <stdint.h>
#include "testcases/common.h"

static const int threads = 16, turns = 30, cell = 256, used = 192;
static const size_t small = 4096 + threads * cell;
static const int rows = 2048, pitch = 4096, width = pitch - 256, rounds = 5;
static const size_t large = (size_t)rows * pitch;
static char *h_data, *h_back, *d_data;
static char *h_rows, *h_rows_back, *d_rows;
static pthread_mutex_t *lock;
static long *total;

static char *of(char *data, int thread, int offset)
{
	return data + 4096 + thread * cell + offset;
}

// Between rows that one round copies.
static void write_gap(int thread, int turn)
{
	int row = thread * (rows / threads) + turn;
	char *gap = h_rows + (size_t)row * pitch + width;

	gap[0] = gap[255] = (char)(thread + turn + 1);
}

static void check_cell(int thread, int turn)
{
	for (int k = 0; k < used; k++) {
		if (*of(h_back, thread, k) != (char)(thread + turn))
			exit(EXIT_WRONG);
	}
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
		write_gap(me, i);
		pthread_mutex_lock(lock);
		*total = *total + 1;
		pthread_mutex_unlock(lock);
		CHECK(cudaStreamSynchronize(stream));
		check_cell(me, i);
	}
	CHECK(cudaStreamDestroy(stream));
	return NULL;
}

static void copy_rows(cudaStream_t stream)
{
	for (int i = 0; i < rounds; i++) {
		for (int row = 0; row < rows; row++)
			memset(h_rows + (size_t)row * pitch, row + i, width);
		CHECK(cudaMemcpy2DAsync(d_rows, pitch, h_rows, pitch, width, rows,
					cudaMemcpyHostToDevice, stream));
		CHECK(cudaMemcpy2DAsync(h_rows_back, pitch, d_rows, pitch, width, rows,
					cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
	}
}

static void check_counts(void)
{
	for (int i = 0; i < threads; i++) {
		if (*(long *)of(h_data, i, used) != 5L * turns)
			exit(EXIT_WRONG);
	}
	if (*total != (long)threads * turns)
		exit(EXIT_WRONG);
}

static uint64_t digest(uint64_t sum, const char *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		sum = (sum ^ (unsigned char)data[i]) * 0x100000001b3;
	return sum;
}

static void begin(void)
{
	h_data = (char *)pinned(small);
	h_back = (char *)pinned(small);
	h_rows = (char *)pinned(large);
	h_rows_back = (char *)pinned(large);
	d_data = (char *)on_device(small);
	d_rows = (char *)on_device(large);
	lock = (pthread_mutex_t *)(h_data + 4096 + used + 16);
	total = (long *)(h_data + 4096 + used + 56);
	pthread_mutex_init(lock, NULL);
}

static void end(void)
{
	uint64_t sum = digest(digest(0, h_data, small), h_back, small);

	pthread_mutex_destroy(lock);
	sum = digest(digest(sum, h_rows, large), h_rows_back, large);
	printf("%016llx\n", (unsigned long long)sum);
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(d_rows));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	CHECK(cudaFreeHost(h_rows));
	CHECK(cudaFreeHost(h_rows_back));
}

int main()
{
	pthread_t thread[threads];
	cudaStream_t stream;

	begin();
	CHECK(cudaStreamCreate(&stream)); // the first one in every run
	for (long i = 0; i < threads; i++) {
		if (pthread_create(&thread[i], NULL, work, (void *)i))
			return EXIT_WRONG;
	}
	copy_rows(stream);
	CHECK(cudaStreamDestroy(stream));
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	check_counts();
	end();
	return 0;
}
