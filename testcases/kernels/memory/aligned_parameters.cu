// Parameters at multiples of 128 bytes behind shorter ones, as descriptors of tensor maps are: the
// assembler has other offsets for them than PTX.
// expect: clean
#include "testcases/compute.h"

struct alignas(128) row {
	int values[64];
};

__global__ void add_up(int scale, const __grid_constant__ row first, const int *more,
		       const __grid_constant__ row second, short shift, int *sum)
{
	int i = threadIdx.x;

	sum[i] = scale * first.values[i] + more[i] * second.values[63 - i] + shift;
}

int main()
{
	row first, second;
	int more[64], want[64], got[64];

	need_kernels();
	for (int i = 0; i < 64; i++) {
		first.values[i] = 7 * i;
		second.values[i] = 100 - i;
		more[i] = i % 5;
	}
	for (int i = 0; i < 64; i++)
		want[i] = 3 * first.values[i] + more[i] * second.values[63 - i] - 2;
	int *d_more = device_copy(more, 64), *sum = device_zeros<int>(64);
	add_up<<<1, 64>>>(3, first, d_more, second, -2, sum);
	read_back(got, sum, 64);
	expect_equal("aligned parameters", got, want, 64);
	free_device(sum);
	free_device(d_more);
	return 0;
}
