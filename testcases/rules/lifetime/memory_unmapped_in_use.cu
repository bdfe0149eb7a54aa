// A mapping is taken away while its stream still fills it; unmapping waits for nothing.
// expect: SC-142 at=unmap proven order=none
// expect[FIXED]: clean
#include "testcases/mapped.h"

int main()
{
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	const size_t bytes = mapped_bytes(0);
	CUmemGenericAllocationHandle memory = make_memory(bytes, 0);
	CUdeviceptr at = map_memory(memory, bytes);

	give_access(at, bytes, 0);
	CHECK(cudaMemsetAsync((void *)at, 0, bytes, stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	DRIVER_CHECK(DRIVER(cuMemUnmap)(at, bytes)); // @unmap
#ifndef FIXED
	(void)cudaStreamSynchronize(stream); // the fill may have met nothing at its address
#endif
	DRIVER_CHECK(DRIVER(cuMemAddressFree)(at, bytes));
	DRIVER_CHECK(DRIVER(cuMemRelease)(memory));
	(void)cudaStreamDestroy(stream);
	return 0;
}
