/* Host functions and stream callbacks: their order, and the refusal of CUDA calls inside (S-8). */
#include "check.h"

#include <atomic>

static int *device_memory;
static cudaStream_t stream;
static std::atomic<int> seen;

__global__ void nothing()
{
}

static void calls_are_refused()
{
	void *memory = nullptr;
	int count = 0;

	CHECK_CUDA(cudaPeekAtLastError());
	CHECK_ERROR(cudaMalloc(&memory, 4), cudaErrorNotPermitted);
	CHECK_ERROR(cudaPeekAtLastError(), cudaErrorNotPermitted);
	CHECK_ERROR(cudaFree(nullptr), cudaErrorNotPermitted);
	CHECK_ERROR(cudaStreamQuery(stream), cudaErrorNotPermitted);
	CHECK_ERROR(cudaStreamSynchronize(stream), cudaErrorNotPermitted);
	CHECK_ERROR(cudaDeviceSynchronize(), cudaErrorNotPermitted);
	CHECK_ERROR(cudaMemcpy(device_memory, &count, 4, cudaMemcpyHostToDevice),
		    cudaErrorNotPermitted);
	CHECK_ERROR(cudaSetDevice(0), cudaErrorNotPermitted);
	CHECK_ERROR(cudaGetLastError(), cudaErrorNotPermitted);
	nothing<<<1, 1>>>();
	CHECK_ERROR(cudaGetLastError(), cudaErrorNotPermitted);
	CHECK_CUDA(cudaGetLastError());
	CHECK_CUDA(cudaGetDeviceCount(&count));
	CHECK(count >= 1);
}

static void CUDART_CB host_function(void *data)
{
	CHECK(*(int *)data == 77);
	calls_are_refused();
	seen = 1;
}

static void CUDART_CB callback(cudaStream_t from, cudaError_t status, void *data)
{
	CHECK(from == stream);
	CHECK_CUDA(status);
	CHECK(*(int *)data == 77);
	calls_are_refused();
	seen = 2;
}

int main()
{
	int sent = 77;
	int *found = nullptr;

	CHECK_CUDA(cudaStreamCreate(&stream));
	CHECK_CUDA(cudaMalloc(&device_memory, sizeof(int)));
	CHECK_CUDA(cudaMallocHost(&found, sizeof(int)));
	CHECK_CUDA(cudaMemcpyAsync(device_memory, &sent, 4, cudaMemcpyHostToDevice, stream));
	CHECK_CUDA(cudaMemcpyAsync(found, device_memory, 4, cudaMemcpyDeviceToHost, stream));
	CHECK_CUDA(cudaLaunchHostFunc(stream, host_function, found));
	CHECK_CUDA(cudaStreamSynchronize(stream));
	CHECK(seen == 1);
	CHECK_CUDA(cudaStreamAddCallback(stream, callback, found, 0));
	CHECK_CUDA(cudaStreamSynchronize(stream));
	CHECK(seen == 2);
	CHECK_ERROR(cudaStreamAddCallback(stream, callback, found, 1), cudaErrorInvalidValue);
	CHECK_ERROR(cudaStreamAddCallback(stream, nullptr, found, 0), cudaErrorInvalidValue);
	CHECK_ERROR(cudaLaunchHostFunc(stream, nullptr, nullptr), cudaErrorInvalidValue);
	/* The errors inside belonged to the driver's thread, these to this one. */
	CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
	CHECK_CUDA(cudaMalloc(&found, 4));
	return 0;
}
