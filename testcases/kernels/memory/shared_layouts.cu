// Dynamic shared memory that holds several arrays, as much of it as a block may have when it asks
// for more than 48 KiB, beside static arrays; pointers into shared memory that functions get.
// expect: clean
#include "testcases/compute.h"

static const int THREADS = 128, LARGE_BYTES = 96 * 1024;

__device__ static int sum_of(const int *values, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

// [doubles][ints][shorts], one for each thread.
__global__ void three_arrays(double *out)
{
	extern __shared__ double doubles[];
	__shared__ int fixed[THREADS];
	int *ints = (int *)(doubles + THREADS);
	short *shorts = (short *)(ints + THREADS);
	int i = threadIdx.x, other = (i * 5 + 3) % THREADS;

	doubles[i] = i * 0.5;
	ints[i] = i * 3;
	shorts[i] = (short)(i - 50);
	fixed[i] = i * i;
	__syncthreads();
	out[i] = doubles[other] + ints[(other + 1) % THREADS] + shorts[(other + 2) % THREADS] +
		 fixed[(other + 3) % THREADS] + sum_of(ints, i % 7) + sum_of(fixed + i / 2, 3);
}

// The arrays lie at places that differ from lane to lane, of two memories.
__global__ void either(const int *in, int *out)
{
	__shared__ int own[THREADS];
	const int *from = threadIdx.x % 3 ? own : in;

	own[threadIdx.x] = -(int)threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = from[(threadIdx.x + 1) % THREADS] + (__isShared(from) ? 10000 : 0);
}

__global__ void large(unsigned *out)
{
	extern __shared__ unsigned words[];
	const int count = LARGE_BYTES / sizeof(unsigned);
	unsigned sum = 0;

	for (int i = threadIdx.x; i < count; i += THREADS)
		words[i] = i * 2654435761u;
	__syncthreads();
	for (int i = threadIdx.x; i < count; i += THREADS)
		sum += words[count - 1 - i] >> 7;
	out[threadIdx.x] = sum;
}

int main()
{
	need_kernels();
	double *got = host_array<double>(THREADS), *want = host_array<double>(THREADS);
	double *d_out = device_array<double>(THREADS);
	int *ints = host_array<int>(THREADS), *expected = host_array<int>(THREADS);

	three_arrays<<<1, THREADS, THREADS *(8 + 4 + 2)>>>(d_out);
	read_back(got, d_out, THREADS);
	for (int i = 0; i < THREADS; i++) {
		int other = (i * 5 + 3) % THREADS, square = (other + 3) % THREADS;

		want[i] = other * 0.5 + (other + 1) % THREADS * 3 + (other + 2) % THREADS - 50 +
			  square * square;
		for (int k = 0; k < i % 7; k++)
			want[i] += k * 3;
		for (int k = i / 2; k < i / 2 + 3; k++)
			want[i] += k * k;
		ints[i] = 7 * i;
	}
	expect_equal("three arrays", got, want, THREADS);
	int *d_in = device_copy(ints, THREADS), *d_ints = (int *)d_out;

	either<<<1, THREADS>>>(d_in, d_ints);
	read_back(ints, d_ints, THREADS);
	for (int i = 0; i < THREADS; i++) {
		int next = (i + 1) % THREADS;

		expected[i] = i % 3 ? 10000 - next : 7 * next;
	}
	expect_equal("either memory", ints, expected, THREADS);
	CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize,
				   LARGE_BYTES));
	large<<<1, THREADS, LARGE_BYTES>>>((unsigned *)d_ints);
	read_back(ints, d_ints, THREADS);
	memset(expected, 0, THREADS * sizeof(int));
	for (unsigned i = 0, count = LARGE_BYTES / sizeof(unsigned); i < count; i++)
		expected[i % THREADS] += (int)((count - 1 - i) * 2654435761u >> 7);
	expect_equal("large", ints, expected, THREADS);
	free_device(d_in, d_out);
	free_host(got, want, ints, expected);
	return 0;
}
