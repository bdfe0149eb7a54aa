// A caching allocator, named as PyTorch's, asks until a block that another stream used may be
// handed out again. By that the host happens to know that a copy to host memory is complete, too,
// which the program does not know (E-6), whatever the answer was. Of its own blocks the answer
// orders what comes after it.
// expect: SC-101 at=copy at=sum likely doubt=query_of_pool order=query_of_pool
// expect[REFILLED]: SC-102 at=upload at=fill likely doubt=query_of_pool order=query_of_pool
// expect[SENT]: SC-106 at=copy at=send likely doubt=query_of_pool order=query_of_pool
// expect[SENT_SOON]: SC-106 at=copy at=send likely doubt=query_of_pool order=query_of_pool
// expect[FREED]: SC-204 at=copy at=free likely doubt=query_of_pool order=query_of_pool
// expect[FIXED]: clean
// expect[SENT_FIXED]: clean
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
#ifdef SENT_SOON
	pool.process_events(); // it asks once, and may hear either
	data = pool.block;
#else
	data = pool.malloc();
#endif
#if defined(SENT) || defined(SENT_SOON) || defined(SENT_FIXED)
	float *to = on_device(bytes);

#ifdef SENT_FIXED
	CHECK(cudaStreamWaitEvent(others, pool.used, 0));
#endif
	CHECK(cudaMemcpyAsync(to, h_data, bytes, cudaMemcpyDefault, others)); // @send
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(to));
#elif defined(FREED)
	CHECK(cudaFreeHost(h_data)); // @free
	CHECK(cudaDeviceSynchronize());
	h_data = NULL;
#elif defined(OWN_BLOCK)
	CHECK(cudaMemsetAsync(data, 1, bytes, others));
	CHECK(cudaDeviceSynchronize());
#elif defined(REFILLED)
	fill(h_data, 1, N); // @fill
	CHECK(cudaDeviceSynchronize());
#elif defined(FIXED)
	CHECK(cudaStreamSynchronize(copies));
	printf("%g\n", sum(h_data, N));
#elif defined(ASKED)
	while (cudaStreamQuery(copies) == cudaErrorNotReady)
		;
	printf("%g\n", sum(h_data, N));
#else
	printf("%g\n", sum(h_data, N)); // @sum
	CHECK(cudaDeviceSynchronize());
#endif
	CHECK(cudaEventDestroy(pool.used));
	CHECK(cudaStreamDestroy(copies));
	CHECK(cudaStreamDestroy(others));
	CHECK(cudaFree(data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
