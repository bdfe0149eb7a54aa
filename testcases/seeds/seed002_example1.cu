// A copy out of a stream callback. (The document registers it with cudaLaunchKernelAsync, which
// does not exist.) The callback runs after the kernel, so the kernel is not the problem: no CUDA
// call at all is allowed in there. With -DHOST_FUNC the same with cudaLaunchHostFunc.
// expect: SC-122 at=allocate proven
// expect: SC-122 at=copy proven
// expect[HOST_FUNC]: SC-122 at=allocate proven
// expect[HOST_FUNC]: SC-122 at=copy proven
// expect[FIXED]: clean
#include "testcases/common.h"

struct work {
	int *devData;
	int *hostData;
	cudaStream_t stream;
	cudaError_t errors[2];
};

__global__ void myKernel(int *data)
{
	data[threadIdx.x] = threadIdx.x;
}

static void copyBack(struct work *w)
{
	const size_t bytes = 1024 * sizeof(int);

	w->errors[0] = cudaMallocHost((void **)&w->hostData, bytes); // @allocate
	w->errors[1] = cudaMemcpyAsync(w->hostData, w->devData, bytes, cudaMemcpyDeviceToHost,
				       w->stream); // @copy
}

__attribute__((unused)) static void CUDART_CB myCallback(cudaStream_t stream, cudaError_t status,
							 void *userData)
{
	(void)stream;
	(void)status;
	copyBack((struct work *)userData);
}

__attribute__((unused)) static void CUDART_CB myHostFunc(void *userData)
{
	copyBack((struct work *)userData);
}

int main()
{
	struct work w = {};

	CHECK(cudaMalloc((void **)&w.devData, 1024 * sizeof(int)));
	CHECK(cudaStreamCreate(&w.stream));
	myKernel<<<1, 1024, 0, w.stream>>>(w.devData);
	CHECK(cudaGetLastError());
#ifdef FIXED
	copyBack(&w);
#elif defined(HOST_FUNC)
	CHECK(cudaLaunchHostFunc(w.stream, myHostFunc, &w));
#else
	CHECK(cudaStreamAddCallback(w.stream, myCallback, &w, 0));
#endif
	CHECK(cudaStreamSynchronize(w.stream));
	printf("allocate: %s, copy: %s\n", cudaGetErrorName(w.errors[0]),
	       cudaGetErrorName(w.errors[1]));
#ifdef FIXED
	if (runs_kernels() && w.hostData[1023] != 1023)
		return EXIT_WRONG;
#endif
	CHECK(cudaFree(w.devData));
	if (w.hostData)
		CHECK(cudaFreeHost(w.hostData));
	CHECK(cudaStreamDestroy(w.stream));
	return 0;
}
