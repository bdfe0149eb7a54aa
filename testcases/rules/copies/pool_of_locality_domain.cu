// A pool has its memory in one part of a device, a locality domain: that is memory of the device,
// and a copy between two pieces of it returns before it is done.
// expect: SC-106 cause=SC-109 at=copy_out proven
// expect[FIXED]: clean
#include "testcases/common.h"

#define LOCALITY_DOMAIN 6 // cudaMemLocationTypeDeviceLocalityDomain, of newer headers

static cudaMemPool_t pool_of_domain()
{
	cudaMemPoolProps props = {};
	cudaMemPool_t pool;

	props.allocType = cudaMemAllocationTypePinned;
	props.location.type = (cudaMemLocationType)LOCALITY_DOMAIN;
	props.location.id = 0; // domain 0 of device 0
	if (cudaMemPoolCreate(&pool, &props) != cudaErrorInvalidValue)
		return pool;
	printf("needs pools of locality domains\n");
	exit(EXIT_SKIPPED);
}

int main()
{
	const size_t bytes = 1 << 18;
	cudaMemPool_t pool = pool_of_domain();
	float *h_back = pinned(bytes), *d_from, *d_to;
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMallocFromPoolAsync((void **)&d_from, bytes, pool, stream));
	CHECK(cudaMallocFromPoolAsync((void **)&d_to, bytes, pool, stream));
	CHECK(cudaMemsetAsync(d_from, 0, bytes, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(d_to, d_from, bytes, cudaMemcpyDeviceToDevice));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(0));
#endif
	CHECK(cudaMemcpyAsync(h_back, d_to, bytes, cudaMemcpyDeviceToHost, stream)); // @copy_out
	CHECK(cudaDeviceSynchronize());
	printf("%g\n", sum(h_back, 4));
	CHECK(cudaFreeAsync(d_from, stream));
	CHECK(cudaFreeAsync(d_to, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemPoolDestroy(pool));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
