/* Launches kernels in every way there is and asks for what is known about them. */
#include "check.h"

struct pair {
	int first;
	double second;
};

__global__ void plain(float *out, float scale, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		out[i] *= scale;
}

__global__ void with_struct(struct pair values, char letter)
{
	(void)values, (void)letter;
}

template <typename T> __global__ void of_type(T *out)
{
	*out = T(1);
}

static __global__ void nothing()
{
}

static void launch_by_brackets(float *memory, cudaStream_t stream)
{
	plain<<<4, 32>>>(memory, 2.0f, 128);
	CHECK_CUDA(cudaGetLastError());
	with_struct<<<dim3(1, 2, 3), dim3(4, 5, 6), 64, stream>>>({1, 2.0}, 'x');
	CHECK_CUDA(cudaGetLastError());
	of_type<int><<<1, 1>>>((int *)memory);
	of_type<double><<<1, 1, 0, stream>>>((double *)memory);
	nothing<<<1, 1>>>();
	CHECK_CUDA(cudaGetLastError());
	CHECK_CUDA(cudaDeviceSynchronize());
}

static void launch_by_call(float *memory, cudaStream_t stream)
{
	float scale = 1.0f;
	int count = 1;
	void *args[] = {&memory, &scale, &count};
	cudaLaunchConfig_t config = {};
	cudaKernel_t kernel = nullptr;

	CHECK_CUDA(cudaLaunchKernel(plain, dim3(1), dim3(1), args, 0, stream));
	CHECK_CUDA(cudaLaunchCooperativeKernel(plain, dim3(1), dim3(1), args, 0, stream));
	config.gridDim = dim3(1);
	config.blockDim = dim3(1);
	config.stream = stream;
	CHECK_CUDA(cudaLaunchKernelExC(&config, (const void *)plain, args));
	CHECK_CUDA(cudaLaunchKernelEx(&config, plain, memory, scale, count));
	CHECK_CUDA(cudaGetKernel(&kernel, plain));
	CHECK_CUDA(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), args, 0, stream));
	CHECK_CUDA(cudaStreamSynchronize(stream));
}

static void refuse_wrong_launches()
{
	int stray = 0;

	plain<<<0, 1>>>(nullptr, 0, 0);
	CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
	plain<<<1, 4096>>>(nullptr, 0, 0);
	CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
	CHECK_ERROR(cudaLaunchKernel(&stray, dim3(1), dim3(1), nullptr, 0, 0),
		    cudaErrorInvalidResourceHandle);
	CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidResourceHandle);
	CHECK_ERROR(cudaLaunchKernel(nullptr, dim3(1), dim3(1), nullptr, 0, 0),
		    cudaErrorInvalidDeviceFunction);
	CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
}

static void ask_about_kernels()
{
	cudaFuncAttributes attributes;
	size_t offset = 0, size = 0;
	int blocks = 0;

	CHECK_CUDA(cudaFuncGetAttributes(&attributes, plain));
	CHECK(attributes.maxThreadsPerBlock > 0 && attributes.maxThreadsPerBlock <= 1024);
	CHECK(attributes.numRegs > 0);
	CHECK_CUDA(cudaFuncGetParamInfo((const void *)plain, 1, &offset, &size));
	CHECK(offset == 8 && size == 4);
	CHECK_CUDA(cudaFuncGetParamInfo((const void *)with_struct, 0, &offset, &size));
	CHECK(offset == 0 && size == sizeof(struct pair));
	CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 128, 0));
	CHECK(blocks >= 1 && blocks <= 64);
	CHECK_CUDA(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
	CHECK_CUDA(cudaFuncGetAttributes(&attributes, plain));
	CHECK(attributes.maxDynamicSharedSizeBytes == 65536);
}

int main()
{
	float *memory = nullptr;
	cudaStream_t stream = nullptr;

	CHECK_CUDA(cudaMalloc(&memory, 1024));
	CHECK_CUDA(cudaStreamCreate(&stream));
	launch_by_brackets(memory, stream);
	launch_by_call(memory, stream);
	refuse_wrong_launches();
	ask_about_kernels();
	CHECK_CUDA(cudaStreamDestroy(stream));
	CHECK_CUDA(cudaFree(memory));
	return 0;
}
