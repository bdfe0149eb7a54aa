// Kernels with parameters of 4 KiB, 5 KiB and almost 32 KiB, and a pointer after them.
// expect: clean
#include "testcases/compute.h"

template <int N> struct table {
	int values[N];
};

template <int N> __global__ void add_up(const __grid_constant__ table<N> t, int scale, int *sum)
{
	for (int i = threadIdx.x; i < N; i += blockDim.x)
		atomicAdd(sum, scale * t.values[i]);
}

template <int N> static void check_table(const char *what)
{
	static table<N> t;
	int *sum = device_zeros<int>(1), got = 0, want = 0;

	for (int i = 0; i < N; i++)
		want += 3 * (t.values[i] = i % 101 - 17);
	add_up<N><<<1, 64>>>(t, 3, sum);
	read_back(&got, sum, 1);
	expect_equal(what, &got, &want, 1);
	free_device(sum);
}

int main()
{
	need_kernels();
	check_table<1020>("4 KiB");
	check_table<1280>("5 KiB");
	check_table<8180>("32 KiB");
	return 0;
}
