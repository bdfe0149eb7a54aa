// Memory of one device's default pool is allocated in a stream of another device, and used by a
// kernel of the pool's own device.
// expect: clean
#include "testcases/driver.h"

__global__ void set(float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = 1;
}

int main()
{
	const int N = 1 << 12;
	CUmemoryPool pool;
	CUdeviceptr data;
	cudaStream_t first, second;

	need_devices(2);
	auto get_pool = DRIVER(cuMemGetDefaultMemPool);
	auto allocate = DRIVER(cuMemAllocFromPoolAsync);
	CUmemLocation where = {CU_MEM_LOCATION_TYPE_DEVICE, {1}};
	CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	CHECK(cudaSetDevice(1));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	DRIVER_CHECK(get_pool(&pool, &where, CU_MEM_ALLOCATION_TYPE_PINNED));
	DRIVER_CHECK(allocate(&data, N * sizeof(float), pool, (CUstream)first));
	CHECK(cudaStreamSynchronize(first));
	set<<<N / 256, 256, 0, second>>>((float *)data, N);
	CHECK(cudaGetLastError());
	CHECK(cudaStreamSynchronize(second));
	CHECK(cudaFreeAsync((void *)data, second));
	CHECK(cudaStreamSynchronize(second));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaSetDevice(0));
	CHECK(cudaStreamDestroy(first));
	return 0;
}
