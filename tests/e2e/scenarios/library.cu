// A library that leans on more than CUDA promises, as NVIDIA's do with what their own driver does.
// Built twice from this source: as libcublas.so.13, whose inner life is its own business, and as
// libordinary.so, which is a program's like any other.
#include "testcases/common.h"

// Two streams fill one buffer, and nothing orders them.
extern "C" void race_within()
{
	const size_t bytes = 1 << 12;
	float *d_data = on_device(bytes);
	cudaStream_t first, second;

	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, first));
	CHECK(cudaMemsetAsync(d_data, 1, bytes, second));
	CHECK(cudaStreamSynchronize(first));
	CHECK(cudaStreamSynchronize(second));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(d_data));
}

// Fills the caller's buffer in a stream of the caller's.
extern "C" void fill_for_caller(float *d_data, size_t bytes, cudaStream_t stream)
{
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
}
