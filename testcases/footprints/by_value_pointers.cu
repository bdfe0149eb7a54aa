// Two kernels get the same two pointers in a struct by value, and each writes one of them: clean
// unless both write the same one.
// expect: SC-105 at=second proven order=no_event
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

struct Pair {
	int count;
	float *left, *right;
};

SC_KERNEL set_left(Pair pair, float value)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < pair.count)
		pair.left[i] = value;
}

SC_KERNEL set_right(Pair pair, float value)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < pair.count)
		pair.right[i] = value;
}

int main()
{
	const int N = 1 << 16;
	float *h_back = pinned(N * sizeof(float));
	Pair pair = {N, on_device(N * sizeof(float)), on_device(N * sizeof(float))};
	cudaStream_t stream1, stream2;

	CHECK(cudaStreamCreate(&stream1));
	CHECK(cudaStreamCreate(&stream2));
	set_left<<<blocks_for(N), threads, 0, stream1>>>(pair, 1);
	CHECK(cudaGetLastError());
#ifdef FIXED
	set_right<<<blocks_for(N), threads, 0, stream2>>>(pair, 2);
#else
	set_left<<<blocks_for(N), threads, 0, stream2>>>(pair, 2); // @second
#endif
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(h_back, pair.left, N * sizeof(float), cudaMemcpyDeviceToHost));
#ifdef FIXED
	verify_kernel(h_back, 1, N);
#endif
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	CHECK(cudaFree(pair.left));
	CHECK(cudaFree(pair.right));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
