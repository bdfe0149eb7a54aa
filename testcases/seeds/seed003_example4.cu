// What the three examples of the document want: copy back, wait, and read the host memory. With
// -DEARLY the wait is missing, which is the error that the document is about.
// expect: clean
// expect[EARLY]: SC-101 at=read proven order=none
#include "testcases/common.h"

int main()
{
	const int size = 1024;
	int *h_data, *h_back, *d_data;
	cudaStream_t stream;

	CHECK(cudaMallocHost((void **)&h_data, size * sizeof(int)));
	CHECK(cudaMallocHost((void **)&h_back, size * sizeof(int)));
	CHECK(cudaMalloc((void **)&d_data, size * sizeof(int)));
	CHECK(cudaStreamCreate(&stream));
	for (int i = 0; i < size; ++i)
		h_data[i] = i;
	CHECK(cudaMemcpyAsync(d_data, h_data, size * sizeof(int), cudaMemcpyHostToDevice, stream));
	CHECK(cudaMemcpyAsync(h_back, d_data, size * sizeof(int), cudaMemcpyDeviceToHost, stream));
#ifndef EARLY
	CHECK(cudaStreamSynchronize(stream));
#endif
	int last = h_back[size - 1]; // @read
#ifdef EARLY
	CHECK(cudaStreamSynchronize(stream));
#else
	if (last != size - 1)
		return EXIT_WRONG;
#endif
	printf("Value at index %d: %d\n", size - 1, last);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
