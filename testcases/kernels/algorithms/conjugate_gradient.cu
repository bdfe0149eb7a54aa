// Conjugate gradients for Poisson's equation in one dimension, in double precision: each round the
// host reads the residual and decides whether to go on. Sums are trees, the same in each run.
// expect: clean
// nvcc: --fmad=false
#include "testcases/compute.h"

static const int N = 256, MOST_ROUNDS = 2 * N;

// y = A x, where A has 2 on its diagonal and -1 beside it.
__global__ void multiply(const double *x, double *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	y[i] = 2 * x[i] - (i ? x[i - 1] : 0) - (i + 1 < N ? x[i + 1] : 0);
}

__global__ void dot(const double *a, const double *b, double *sum)
{
	__shared__ double part[N];

	part[threadIdx.x] = a[threadIdx.x] * b[threadIdx.x];
	for (int half = N / 2; half; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		*sum = part[0];
}

// to = a + sign * (*top / *bottom) * b
__global__ void add_scaled(double *to, const double *a, const double *b, const double *top,
			   const double *bottom, double sign)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = a[i] + sign * (*top / *bottom) * b[i];
}

int main()
{
	need_kernels();
	double *x = host_array<double>(N), *want = host_array<double>(N),
	       *residual = host_array<double>(2);
	double *b = host_array<double>(N);
	int rounds = 0;

	for (int i = 0; i < N; i++) {
		want[i] = (double)(i % 17) / 16 - (double)(i % 5);
	}
	for (int i = 0; i < N; i++)
		b[i] = 2 * want[i] - (i ? want[i - 1] : 0) - (i + 1 < N ? want[i + 1] : 0);
	double *d_x = device_zeros<double>(N), *d_r = device_copy(b, N), *d_p = device_copy(b, N);
	double *d_ap = device_array<double>(N), *d_sums = device_array<double>(3);
	double *d_rr = d_sums, *d_pap = d_sums + 1, *d_next = d_sums + 2;

	dot<<<1, N>>>(d_r, d_r, d_rr);
	do {
		multiply<<<N / 64, 64>>>(d_p, d_ap);
		dot<<<1, N>>>(d_p, d_ap, d_pap);
		add_scaled<<<N / 64, 64>>>(d_x, d_x, d_p, d_rr, d_pap, 1);
		add_scaled<<<N / 64, 64>>>(d_r, d_r, d_ap, d_rr, d_pap, -1);
		dot<<<1, N>>>(d_r, d_r, d_next);
		add_scaled<<<N / 64, 64>>>(d_p, d_r, d_p, d_next, d_rr, 1);
		CHECK(cudaMemcpyAsync(d_rr, d_next, sizeof(double), cudaMemcpyDeviceToDevice));
		read_back(residual, d_rr, 1);
	} while (*residual > 1e-18 && ++rounds < MOST_ROUNDS);
	read_back(x, d_x, N);
	expect_near("solution", x, want, N, 1e-7);
	printf("%d rounds\n", rounds);
	free_device(d_x, d_r, d_p, d_ap, d_sums);
	free_host(x, want, residual, b);
	return 0;
}
