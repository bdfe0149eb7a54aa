// The same with events around the kernel and a wait of the host before the copy out: right.
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
	cudaEvent_t startEvent, stopEvent;
	cudaStream_t stream;

	CHECK(cudaMalloc((void **)&devData, bytes));
	CHECK(cudaMallocHost((void **)&hostData, bytes));
	for (int i = 0; i < 1024; i++)
		hostData[i] = i;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreate(&startEvent));
	CHECK(cudaEventCreate(&stopEvent));
	CHECK(cudaMemcpyAsync(devData, hostData, bytes, cudaMemcpyHostToDevice, stream));
	CHECK(cudaEventRecord(startEvent, stream));
	myKernel<<<1, 1024, 0, stream>>>(devData);
	CHECK(cudaGetLastError());
	CHECK(cudaEventRecord(stopEvent, stream));
	CHECK(cudaEventSynchronize(stopEvent));
	CHECK(cudaMemcpyAsync(hostData, devData, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	if (hostData[1023] != (runs_kernels() ? 2046 : 1023))
		return EXIT_WRONG;
	CHECK(cudaFree(devData));
	CHECK(cudaFreeHost(hostData));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaEventDestroy(startEvent));
	CHECK(cudaEventDestroy(stopEvent));
	return 0;
}
