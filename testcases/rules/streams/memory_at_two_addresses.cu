// The same memory is mapped twice: one stream fills it by one address, another one copies it by the
// other, with nothing between them.
// expect: SC-106 at=copy_out proven order=no_event
// expect[FIXED]: clean
#include "testcases/mapped.h"

int main()
{
	cudaStream_t first, second;
	cudaEvent_t filled;

	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
	const size_t bytes = mapped_bytes(0);
	CUmemGenericAllocationHandle memory = make_memory(bytes, 0);
	CUdeviceptr one = map_memory(memory, bytes), other = map_memory(memory, bytes);
	float *h_back = pinned(bytes);

	give_access(one, bytes, 0);
	give_access(other, bytes, 0);
	fill(h_back, 9, bytes / sizeof(float));
	CHECK(cudaMemsetAsync((void *)one, 0, bytes, first));
#ifdef FIXED
	CHECK(cudaEventRecord(filled, first));
	CHECK(cudaStreamWaitEvent(second, filled, 0));
#endif
	CHECK(cudaMemcpyAsync(h_back, (void *)other, bytes, cudaMemcpyDeviceToHost,
			      second)); // @copy_out
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	verify(h_back, 0, bytes / sizeof(float));
#endif
	unmap_memory(one, bytes);
	unmap_memory(other, bytes);
	DRIVER_CHECK(DRIVER(cuMemRelease)(memory));
	CHECK(cudaEventDestroy(filled));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
