// Copy in, kernel, copy out in one stream, then one wait: right.
// expect: clean
#include "testcases/common.h"

__global__ void myKernel(int *data)
{
	data[threadIdx.x] *= 2;
}

int main()
{
	const size_t bytes = 1024 * sizeof(int);
	int *devData, *hostData;
	cudaStream_t stream;

	CHECK(cudaMalloc((void **)&devData, bytes));
	CHECK(cudaMallocHost((void **)&hostData, bytes));
	for (int i = 0; i < 1024; i++)
		hostData[i] = i;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(devData, hostData, bytes, cudaMemcpyHostToDevice, stream));
	myKernel<<<1, 1024, 0, stream>>>(devData);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(hostData, devData, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	if (hostData[1023] != (runs_kernels() ? 2046 : 1023))
		return EXIT_WRONG;
	CHECK(cudaFree(devData));
	CHECK(cudaFreeHost(hostData));
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
