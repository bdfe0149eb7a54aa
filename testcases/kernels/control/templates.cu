// Templates as users write them: a reduction over types and operators with `if constexpr`, dynamic
// shared memory of any type, functors and lambdas as arguments of kernels, unrolled loops.
// expect: clean
// nvcc: --extended-lambda
#include "testcases/compute.h"

static const int N = 1500;

struct plus {
	template <typename T> __host__ __device__ T operator()(T a, T b) const
	{
		return a + b;
	}
	template <typename T> __host__ __device__ static T first()
	{
		return T(0);
	}
};

struct larger {
	template <typename T> __host__ __device__ T operator()(T a, T b) const
	{
		return a > b ? a : b;
	}
	template <typename T> __host__ __device__ static T first()
	{
		return T(-100000);
	}
};

// Shared memory of different types has one name.
template <typename T> __device__ T *shared_memory()
{
	extern __shared__ __align__(16) unsigned char bytes[];

	return (T *)bytes;
}

template <typename T, typename Op, int THREADS>
__global__ void reduce(const T *in, int n, T *out, Op op)
{
	T *part = shared_memory<T>(), mine = Op::template first<T>();

	for (int i = threadIdx.x; i < n; i += THREADS)
		mine = op(mine, in[i]);
	part[threadIdx.x] = mine;
	__syncthreads();
#pragma unroll
	for (int half = THREADS / 2; half; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] = op(part[threadIdx.x], part[threadIdx.x + half]);
		if constexpr (THREADS > 32)
			__syncthreads();
		else
			__syncwarp();
	}
	if (threadIdx.x == 0)
		*out = part[0];
}

template <typename F> __global__ void for_each(int n, F f)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		f(i);
}

template <typename T, typename Op, int THREADS> void try_type(const char *what)
{
	T *in = host_array<T>(N), *got = host_array<T>(1), want = Op::template first<T>();
	T *d_in, *d_out = device_array<T>(1);
	unsigned state = 109;

	for (int i = 0; i < N; i++) {
		in[i] = (T)(random_next(&state) % 64) - (T)20;
		want = Op()(want, in[i]);
	}
	d_in = device_copy(in, N);
	reduce<T, Op, THREADS><<<1, THREADS, THREADS * sizeof(T)>>>(d_in, N, d_out, Op());
	read_back(got, d_out, 1);
	expect_value(what, *got, want);
	free_device(d_in, d_out);
	free_host(in, got);
}

int main()
{
	need_kernels();
	int *got = host_array<int>(N), *want = host_array<int>(N), *d_out = device_zeros<int>(N);
	int factor = 3;

	try_type<short, plus, 32>("sum of shorts");
	try_type<int, plus, 128>("sum of ints");
	try_type<float, larger, 64>("largest float");
	try_type<double, plus, 256>("sum of doubles");
	try_type<long long, larger, 32>("largest long");
	for_each<<<(N + 127) / 128, 128>>>(N, [=] __device__(int i) { d_out[i] = i * factor; });
	for_each<<<(N + 127) / 128, 128>>>(
		N / 2, [=] __device__(int i) { d_out[2 * i] += factor * factor; });
	read_back(got, d_out, N);
	for (int i = 0; i < N; i++)
		want[i] = i * factor + (i % 2 ? 0 : factor * factor);
	expect_equal("lambdas", got, want, N);
	free_device(d_out);
	free_host(got, want);
	return 0;
}
