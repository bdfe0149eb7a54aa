/* Plain: what the kernels of executor.cu compute, as C loops. */
#include "bench/plain.h"

#include <string.h>

void bench_saxpy(size_t first, size_t end, size_t n, void *out, const void *a, const void *b)
{
	float *y = out;
	const float *x = a;

	(void)n;
	(void)b;
	for (size_t i = first; i < end; i++)
		y[i] = 2.5F * x[i] + y[i];
}

void bench_reduce(size_t first, size_t end, size_t n, void *out, const void *a, const void *b)
{
	const float *x = a;
	float sum = 0;

	(void)n;
	(void)b;
	for (size_t i = first; i < end; i++)
		sum += x[i];
	*(float *)out += sum;
}

void bench_matrix(size_t first, size_t end, size_t n, void *out, const void *a, const void *b)
{
	const float *as = a, *bs = b;
	float *cs = out;

	for (size_t row = first; row < end; row++) {
		memset(cs + row * n, 0, n * sizeof(*cs));
		for (size_t k = 0; k < n; k++)
			for (size_t column = 0; column < n; column++)
				cs[row * n + column] += as[row * n + k] * bs[k * n + column];
	}
}

void bench_histogram(size_t first, size_t end, size_t n, void *out, const void *a, const void *b)
{
	unsigned *bins = out;
	const unsigned char *data = a;

	(void)n;
	(void)b;
	for (size_t i = first; i < end; i++)
		bins[data[i]]++;
}

void bench_divergent(size_t first, size_t end, size_t n, void *out, const void *a, const void *b)
{
	unsigned *steps = out;

	(void)n;
	(void)a;
	(void)b;
	for (size_t i = first; i < end; i++) {
		unsigned x = (unsigned)i + 1, count = 0;

		while (x != 1) {
			x = x % 2 ? 3 * x + 1 : x / 2;
			count++;
		}
		steps[i] = count;
	}
}

static float __attribute__((noinline)) mean(const float *around, int reach)
{
	float sum = 0;

	for (int k = -reach; k <= reach; k++)
		sum += around[k];
	return sum / (float)(2 * reach + 1);
}

void bench_calls(size_t first, size_t end, size_t n, void *out, const void *a, const void *b)
{
	const float *x = a;
	float *y = out, before[258] = {0}, after[258] = {0};

	(void)n;
	(void)b;
	for (size_t block = first; block < end; block++) {
		memcpy(before + 1, x + block * 256, 256 * sizeof(*x));
		for (int turn = 0; turn < 16; turn++) {
			for (int i = 0; i < 256; i++)
				after[i + 1] = mean(before + i + 1, 1);
			memcpy(before, after, sizeof(before));
		}
		memcpy(y + block * 256, before + 1, 256 * sizeof(*y));
	}
}
