// The host reads what a kernel writes to memory of a pool that is the host's, or managed.
// expect: SC-101 at=read proven order=none
// expect[MANAGED]: SC-101 at=read proven order=none
// expect[FIXED]: clean
// expect[MANAGED_FIXED]: clean
#include "testcases/common.h"

__global__ void write(float *out)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = 7;
}

static cudaMemPool_t new_pool(cudaMemAllocationType type)
{
	cudaMemPoolProps props = {};
	cudaMemAccessDesc access = {};
	cudaMemPool_t pool;

	props.allocType = type;
	props.location.type = type == cudaMemAllocationTypeManaged ? cudaMemLocationTypeDevice
								   : cudaMemLocationTypeHost;
	access.location.type = cudaMemLocationTypeDevice;
	access.flags = cudaMemAccessFlagsProtReadWrite;
	if (cudaMemPoolCreate(&pool, &props) == cudaErrorNotSupported) {
		printf("needs pools of host memory, and managed ones\n");
		exit(EXIT_SKIPPED);
	}
	if (type != cudaMemAllocationTypeManaged)
		CHECK(cudaMemPoolSetAccess(pool, &access, 1));
	return pool;
}

int main()
{
	const int N = 1 << 14;
#if defined(MANAGED) || defined(MANAGED_FIXED)
	cudaMemPool_t pool = new_pool(cudaMemAllocationTypeManaged);
#else
	cudaMemPool_t pool = new_pool(cudaMemAllocationTypePinned);
#endif
	cudaStream_t stream;
	float *data;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMallocFromPoolAsync((void **)&data, N * sizeof(float), pool, stream));
	CHECK(cudaStreamSynchronize(stream));
	fill(data, 0, N);
	write<<<N / 256, 256, 0, stream>>>(data);
	CHECK(cudaGetLastError());
#if defined(FIXED) || defined(MANAGED_FIXED)
	CHECK(cudaStreamSynchronize(stream));
	verify_kernel(data, 7, N);
#else
	printf("%g\n", sum(data, N)); // @read
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaFreeAsync(data, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemPoolDestroy(pool));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
