// A pipeline that names its phases with NVTX; in one of them the host reads its result too early.
// expect: SC-101 at=read proven order=none
// expect[FIXED]: clean
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include "testcases/common.h"

#define N 4096

int main()
{
	float *device, *host;
	cudaStream_t stream;
	float first;

	CHECK(cudaMalloc(&device, N * sizeof(float)));
	CHECK(cudaMallocHost(&host, N * sizeof(float)));
	CHECK(cudaStreamCreate(&stream));
	nvtxNameCudaStreamA(stream, "results");
	fill(host, 1, N);
	nvtxRangePushA("epoch 1");
	CHECK(cudaMemcpyAsync(device, host, N * sizeof(float), cudaMemcpyHostToDevice, stream));
	CHECK(cudaStreamSynchronize(stream));
	nvtxRangePushA("collect");
	CHECK(cudaMemcpyAsync(host, device, N * sizeof(float), cudaMemcpyDeviceToHost, stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	first = host[0]; // @read
	nvtxRangePop();
	nvtxRangePop();
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	printf("%g\n", first);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeHost(host));
	CHECK(cudaFree(device));
	return 0;
}
