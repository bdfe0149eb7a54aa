// Kernel parameters by value and the structs that describe copies live on a stack frame that is
// gone before the work runs. (15.5 item 2)
// expect: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

struct Job {
	float *data;
	float factor[16];
	int n;
};

SC_KERNEL run_job(Job job)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < job.n)
		job.data[i] *= job.factor[i % 16];
}

static __attribute__((noinline)) void enqueue(cudaStream_t stream, float *d_data, float *h_data,
					      int n)
{
	struct cudaMemcpy3DParms copy = {};
	Job job = {d_data, {}, n};

	fill(job.factor, 6, 16);
	copy.srcPtr = make_cudaPitchedPtr(h_data, n * sizeof(float), n, 1);
	copy.dstPtr = make_cudaPitchedPtr(d_data, n * sizeof(float), n, 1);
	copy.extent = make_cudaExtent(n * sizeof(float), 1, 1);
	copy.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3DAsync(&copy, stream));
	run_job<<<blocks_for(n), threads, 0, stream>>>(job);
	CHECK(cudaGetLastError());
}

static __attribute__((noinline)) void overwrite_stack()
{
	volatile char room[4096];

	for (size_t i = 0; i < sizeof(room); i++)
		room[i] = 0x55;
}

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *h_back = pinned(bytes);
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	fill(h_data, 1, N);
	CHECK(cudaStreamCreate(&stream));
	enqueue(stream, d_data, h_data, N);
	overwrite_stack();
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	verify_kernel(h_back, 6, N);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
