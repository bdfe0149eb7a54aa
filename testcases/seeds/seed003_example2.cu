// The same after cudaDeviceSynchronize, which the document calls correct: it is not, because the
// host still reads device memory.
// expect: SC-126 at=read proven
// exit: SIGSEGV
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	int *h_data, *d_data;
	const int size = 1024;

	CHECK(cudaMallocHost((void **)&h_data, size * sizeof(int)));
	CHECK(cudaMalloc((void **)&d_data, size * sizeof(int)));
	for (int i = 0; i < size; ++i)
		h_data[i] = i;
	CHECK(cudaMemcpyAsync(d_data, h_data, size * sizeof(int), cudaMemcpyHostToDevice));
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	int values[size];

	CHECK(cudaMemcpy(values, d_data, size * sizeof(int), cudaMemcpyDeviceToHost));
#else
	const int *values = d_data;
#endif
	for (int i = 0; i < size; i += 128)
		printf("Value at index %d: %d\n", i, values[i]); // @read
#ifdef FIXED
	if (values[size - 1] != size - 1)
		return EXIT_WRONG;
#endif
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
