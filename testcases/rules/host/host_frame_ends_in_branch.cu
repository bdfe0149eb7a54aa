// A function uploads a table from its stack, and returns in two places while the device may still
// read the table. With -DBLOCK the table belongs to a block of the function.
// expect: SC-104 at=next proven order=none
// expect[BLOCK]: SC-104 at=next proven order=none
// expect[FIXED]: clean
#include "testcases/common.h"

static const int entries = 1 << 12;
static const size_t bytes = entries * sizeof(float);
static float *d_table;
static cudaStream_t stream;

static __attribute__((noinline)) int upload(int shift)
{
	int left = entries;

#ifdef BLOCK
	{
		float table[entries];

		fill(table, 3, entries);
		CHECK(cudaHostRegister(table, bytes, cudaHostRegisterDefault));
		CHECK(cudaMemcpyAsync(d_table, table, bytes, cudaMemcpyHostToDevice, stream));
		left -= shift;
	}
	return left;
#else
	float table[entries];

	fill(table, 3, entries);
	CHECK(cudaHostRegister(table, bytes, cudaHostRegisterDefault));
	CHECK(cudaMemcpyAsync(d_table, table, bytes, cudaMemcpyHostToDevice, stream));
	if (!shift) {
		left = 0;
#ifdef FIXED
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaHostUnregister(table));
#endif
		return left;
	}
	left -= shift;
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaHostUnregister(table));
#endif
	return left;
#endif
}

int main()
{
	d_table = on_device(bytes);
	CHECK(cudaStreamCreate(&stream));
	printf("%d left\n", upload(1));
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream)); // @next
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_table));
	return 0;
}
