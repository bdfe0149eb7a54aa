// A dot product in double precision, added up with atomicAdd(double *), and the same with a loop of
// atomicCAS; maxima and minima of doubles through their bits.
// expect: clean
#include "testcases/compute.h"

static const int N = 5000;

__global__ void dot(const double *a, const double *b, double *sum)
{
	double mine = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
		mine += a[i] * b[i];
	atomicAdd(sum, mine);
}

__device__ static void add_by_exchange(double *to, double what)
{
	unsigned long long *word = (unsigned long long *)to,
			   seen = *(volatile unsigned long long *)word;
	unsigned long long before;

	do {
		before = seen;
		seen = atomicCAS(word, before,
				 __double_as_longlong(__longlong_as_double(before) + what));
	} while (seen != before);
}

__global__ void dot_by_exchange(const double *a, const double *b, double *sum)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < N)
		add_by_exchange(sum, a[i] * b[i]);
}

// The bits of positive doubles are ordered as the doubles are.
__global__ void extremes(const double *a, unsigned long long *most, unsigned long long *least)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= N)
		return;
	atomicMax(most, (unsigned long long)__double_as_longlong(a[i]));
	atomicMin(least, (unsigned long long)__double_as_longlong(a[i]));
}

int main()
{
	need_kernels();
	double *a = host_array<double>(N), *b = host_array<double>(N), *got = host_array<double>(4);
	double want[4] = {0, 0, 0, 1e300};
	unsigned state = 71;

	// Quarters: the sums are exact in every order.
	for (int i = 0; i < N; i++) {
		a[i] = (double)(1 + random_next(&state) % 4000) / 4;
		b[i] = (double)(random_next(&state) % 4000) / 4 - 500;
		want[0] += a[i] * b[i];
		want[2] = fmax(want[2], a[i]);
		want[3] = fmin(want[3], a[i]);
	}
	want[1] = want[0];
	got[3] = INFINITY;
	double *d_a = device_copy(a, N), *d_b = device_copy(b, N), *d_out = device_copy(got, 4);

	dot<<<6, 96>>>(d_a, d_b, d_out);
	dot_by_exchange<<<(N + 127) / 128, 128>>>(d_a, d_b, d_out + 1);
	extremes<<<(N + 127) / 128, 128>>>(d_a, (unsigned long long *)(d_out + 2),
					   (unsigned long long *)(d_out + 3));
	read_back(got, d_out, 4);
	expect_equal("sums and extremes", got, want, 4);
	free_device(d_a, d_b, d_out);
	free_host(a, b, got);
	return 0;
}
