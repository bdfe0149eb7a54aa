// Constant memory: tables with initial values, one that the host sets between launches, a table of
// structures, a string; and module variables that kernels and the host both change.
// expect: clean
// nvcc: --fmad=false
#include "testcases/compute.h"

struct rule {
	char name[8];
	int add;
	double factor;
};

static const int N = 200;

__constant__ float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
__constant__ struct rule rules[] = {{"same", 0, 1}, {"more", 10, 1.5}, {"less", -10, 0.5}};
__constant__ int offset;
__device__ int calls = 40;
__device__ unsigned sums[3] = {100, 200, 300};

__global__ void smooth(const float *in, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (i >= N)
		return;
	for (int k = 0; k < 5; k++)
		sum += weights[k] * in[min(max(i + k - 2, 0), N - 1)];
	out[i] = sum + (float)offset;
}

// All lanes read different elements of the tables.
__global__ void apply(double *out)
{
	const struct rule *mine = &rules[threadIdx.x % 3];

	out[threadIdx.x] =
		((int)threadIdx.x + mine->add) * mine->factor + mine->name[threadIdx.x % 4];
	atomicAdd(&sums[threadIdx.x % 3], threadIdx.x);
	if (threadIdx.x == 0)
		calls++;
}

static void try_smooth(const char *what, const float *in, const float *d_in, int value)
{
	static const float own[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
	float *got = host_array<float>(N), *want = host_array<float>(N),
	      *d_out = device_array<float>(N);

	CHECK(cudaMemcpyToSymbol(offset, &value, sizeof(value)));
	smooth<<<(N + 63) / 64, 64>>>(d_in, d_out);
	read_back(got, d_out, N);
	for (int i = 0; i < N; i++) {
		for (int k = 0; k < 5; k++)
			want[i] += own[k] * in[i + k < 2 ? 0 : i + k - 2 >= N ? N - 1 : i + k - 2];
		want[i] += (float)value;
	}
	expect_equal(what, got, want, N);
	free_device(d_out);
	free_host(got, want);
}

int main()
{
	need_kernels();
	static const struct rule own[] = {{"same", 0, 1}, {"more", 10, 1.5}, {"less", -10, 0.5}};
	float *in = host_array<float>(N);
	double *got = host_array<double>(96), *want = host_array<double>(96);
	double *d_out = device_array<double>(96);
	unsigned now[3], expected[3] = {100, 200, 300};
	int count;

	for (int i = 0; i < N; i++)
		in[i] = (float)(i * i % 97);
	float *d_in = device_copy(in, N);

	try_smooth("smoothed", in, d_in, 0);
	try_smooth("with an offset", in, d_in, 1000);
	for (int turn = 0; turn < 2; turn++)
		apply<<<1, 96>>>(d_out);
	read_back(got, d_out, 96);
	for (int i = 0; i < 96; i++) {
		want[i] = (i + own[i % 3].add) * own[i % 3].factor + own[i % 3].name[i % 4];
		expected[i % 3] += 2 * i;
	}
	expect_equal("rules", got, want, 96);
	CHECK(cudaMemcpyFromSymbol(now, sums, sizeof(now)));
	CHECK(cudaMemcpyFromSymbol(&count, calls, sizeof(count)));
	expect_equal("sums", now, expected, 3);
	expect_value("calls", count, 42);
	free_device(d_in, d_out);
	free_host(in, got, want);
	return 0;
}
