// Vectors of 8 and 16 bytes that one block stores while others load them: all their elements are of
// one store. Libraries publish a value with its flag in this way (CUB's look-back).
// expect: clean
#include "testcases/compute.h"

static const int READERS = 23, THREADS = 256, ROUNDS = 2000;

// The first block stores, the others count what is of two stores, until they see the last one.
template <typename V> __global__ void exchange(V *shared, int *torn, int *seen)
{
	V value;

	if (blockIdx.x == 0) {
		for (int i = 1; i <= ROUNDS; i++) {
			value.x = i;
			value.y = 3 * i;
			if constexpr (sizeof(V) == 16)
				value.z = value.w = -i;
			__stcg(&shared[threadIdx.x], value);
		}
		return;
	}
	do {
		value = __ldcv(&shared[(threadIdx.x + blockIdx.x) % THREADS]);
		bool is_whole = value.y == 3 * value.x;
		if constexpr (sizeof(V) == 16)
			is_whole = is_whole && value.z == -value.x && value.w == -value.x;
		if (!is_whole)
			atomicAdd(torn, 1);
	} while (value.x != ROUNDS);
	atomicAdd(seen, 1);
}

template <typename V> void try_type(const char *what)
{
	V *d_shared = device_zeros<V>(THREADS);
	int *d_counts = device_zeros<int>(2), *got = host_array<int>(2),
	    want[2] = {0, READERS * THREADS};

	exchange<<<1 + READERS, THREADS>>>(d_shared, d_counts, d_counts + 1);
	read_back(got, d_counts, 2);
	expect_equal(what, got, want, 2);
	free_device(d_shared, d_counts);
	free_host(got);
}

int main()
{
	need_kernels();
	try_type<int2>("8 bytes");
	try_type<int4>("16 bytes");
	return 0;
}
