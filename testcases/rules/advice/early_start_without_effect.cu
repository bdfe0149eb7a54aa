// A kernel may start early, but the previous one never triggers that.
// nvcc: -arch=sm_90
// expect: SC-323 at=second proven
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

SC_KERNEL produce(float *data, float value, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

#if defined(FIXED) && __CUDA_ARCH__ >= 900
	cudaTriggerProgrammaticLaunchCompletion();
#endif
	if (i < n)
		data[i] = value;
}

SC_KERNEL consume(float *out, const float *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

#if __CUDA_ARCH__ >= 900
	cudaGridDependencySynchronize();
#endif
	if (i < n)
		out[i] = data[i] + 1;
}

int main()
{
	const int N = 1 << 16, threads = 256;
	const size_t bytes = N * sizeof(float);
	float *d_data = on_device(bytes), *d_out = on_device(bytes);
	float *h_back = pinned(bytes);
	cudaLaunchAttribute early = {};
	cudaLaunchConfig_t config = {};
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	produce<<<N / threads, threads, 0, stream>>>(d_data, 2, N);
	CHECK(cudaGetLastError());
	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	config.gridDim = N / threads;
	config.blockDim = threads;
	config.stream = stream;
	config.attrs = &early;
	config.numAttrs = 1;
	CHECK(cudaLaunchKernelEx(&config, consume, d_out, (const float *)d_data, N)); // @second
	CHECK(cudaMemcpyAsync(h_back, d_out, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	verify_kernel(h_back, 3, N);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(d_out));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
