// A memory pool is destroyed while memory of it is still allocated.
// expect: SC-403 at=destroy proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const size_t bytes = 1 << 16;
	cudaMemPoolProps props = {};
	cudaMemPool_t pool;
	cudaStream_t stream;
	void *d_data;

	props.allocType = cudaMemAllocationTypePinned;
	props.location.type = cudaMemLocationTypeDevice;
	CHECK(cudaMemPoolCreate(&pool, &props));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMallocFromPoolAsync(&d_data, bytes, pool, stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
#ifdef FIXED
	CHECK(cudaFreeAsync(d_data, stream));
#endif
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemPoolDestroy(pool)); // @destroy
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
