// A caching allocator, named as PyTorch's, asks until a block that another stream used may be
// handed out again. By that the host happens to know that a copy to host memory is complete, too,
// which the program does not know (E-6). Of its own blocks the answer orders what comes after it.
// expect: SC-101 at=copy at=sum likely doubt=query_of_pool order=query_of_pool
// expect[REFILLED]: SC-102 at=upload at=fill likely doubt=query_of_pool order=query_of_pool
// expect[FIXED]: clean
// expect[OWN_BLOCK]: clean
// expect[ASKED]: clean
#include "testcases/common.h"

namespace c10
{
namespace cuda
{
namespace CUDACachingAllocator
{
struct DeviceCachingAllocator {
	float *block;
	cudaEvent_t used;

	void record(cudaStream_t stream);
	bool process_events();
	float *malloc();
};

// The block goes back while a stream uses it.
__attribute__((noinline)) void DeviceCachingAllocator::record(cudaStream_t stream)
{
	CHECK(cudaEventRecord(used, stream));
}

__attribute__((noinline)) bool DeviceCachingAllocator::process_events()
{
	cudaError_t error = cudaEventQuery(used);

	if (error == cudaErrorNotReady)
		return false;
	CHECK(error);
	return true;
}

__attribute__((noinline)) float *DeviceCachingAllocator::malloc()
{
	while (!process_events())
		;
	return block;
}
} // namespace CUDACachingAllocator
} // namespace cuda
} // namespace c10

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	c10::cuda::CUDACachingAllocator::DeviceCachingAllocator pool;
	float *h_data = pinned(bytes), *data;
	cudaStream_t copies, others;

	CHECK(cudaStreamCreate(&copies));
	CHECK(cudaStreamCreate(&others));
	CHECK(cudaEventCreateWithFlags(&pool.used, cudaEventDisableTiming));
	pool.block = on_device(bytes);
	CHECK(cudaMemset(pool.block, 0, bytes));
	CHECK(cudaDeviceSynchronize());
#ifdef REFILLED
	CHECK(cudaMemcpyAsync(pool.block, h_data, bytes, cudaMemcpyDefault, copies)); // @upload
#else
	CHECK(cudaMemcpyAsync(h_data, pool.block, bytes, cudaMemcpyDefault, copies)); // @copy
#endif
	pool.record(copies);
	data = pool.malloc();
#if defined(OWN_BLOCK)
	CHECK(cudaMemsetAsync(data, 1, bytes, others));
	CHECK(cudaDeviceSynchronize());
#elif defined(REFILLED)
	fill(h_data, 1, N);							      // @fill
#else
#if defined(FIXED)
	CHECK(cudaStreamSynchronize(copies));
#elif defined(ASKED)
	while (cudaStreamQuery(copies) == cudaErrorNotReady)
		;
#endif
	printf("%g\n", sum(h_data, N)); // @sum
#endif
	CHECK(cudaEventDestroy(pool.used));
	CHECK(cudaStreamDestroy(copies));
	CHECK(cudaStreamDestroy(others));
	CHECK(cudaFree(data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
