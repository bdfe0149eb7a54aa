// The launch itself records an event when the blocks have begun; another stream waits for that and
// copies the kernel's result.
// nvcc: -arch=sm_90
// expect: SC-106 cause=SC-147 at=copy_out proven
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

SC_KERNEL produce(float *data, float value, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] = value;
}

int main()
{
	const int N = 1 << 16, threads = 256;
	const size_t bytes = N * sizeof(float);
	float *d_data = on_device(bytes), *h_back = pinned(bytes);
	cudaLaunchAttribute attribute = {};
	cudaLaunchConfig_t config = {};
	cudaStream_t first, second;
	cudaEvent_t event;

	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&second));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	attribute.id = cudaLaunchAttributeLaunchCompletionEvent;
	attribute.val.launchCompletionEvent.event = event;
	attribute.val.launchCompletionEvent.flags = 0;
	config.gridDim = N / threads;
	config.blockDim = threads;
	config.stream = first;
	config.attrs = &attribute;
	config.numAttrs = 1;
	CHECK(cudaLaunchKernelEx(&config, produce, d_data, 2.0f, N));
#ifdef FIXED
	CHECK(cudaEventRecord(event, first));
#endif
	CHECK(cudaStreamWaitEvent(second, event, 0));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, second)); // @copy_out
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	verify_kernel(h_back, 2, N);
#endif
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
