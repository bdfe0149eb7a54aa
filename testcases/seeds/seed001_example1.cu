// Two kernels and two copies of one array in two streams that nothing orders; the results go to
// pageable memory, so the copies are not asynchronous either.
// expect: SC-105 at=kernel2 proven order=no_event
// expect: SC-106 at=copy1 proven order=no_event
// expect: SC-106 at=copy2 proven order=no_event
// expect: SC-301 at=copy1 proven
// expect: SC-301 at=copy2 proven
// expect[FIXED]: clean
#include "testcases/common.h"

__global__ void kernel1(float *data, int N)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < N)
		data[i] *= 2.0f;
}

__global__ void kernel2(float *data, int N)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < N)
		data[i] += 1.0f;
}

static float *new_result(size_t bytes)
{
#ifdef FIXED
	return pinned(bytes);
#else
	return (float *)malloc(bytes);
#endif
}

static void free_result(float *result)
{
#ifdef FIXED
	CHECK(cudaFreeHost(result));
#else
	free(result);
#endif
}

int main()
{
	const int N = 1 << 20, threads = 256, blocks = N / threads;
	const size_t bytes = N * sizeof(float);
	float *h_data = (float *)malloc(bytes);
	float *dev_data;
	cudaStream_t stream1, stream2;

	fill(h_data, 3, N);
	CHECK(cudaMalloc(&dev_data, bytes));
	CHECK(cudaMemcpy(dev_data, h_data, bytes, cudaMemcpyHostToDevice));
	CHECK(cudaStreamCreate(&stream1));
	CHECK(cudaStreamCreate(&stream2));
	float *h_result1 = new_result(bytes), *h_result2 = new_result(bytes);

#ifdef FIXED
	cudaEvent_t done;

	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	kernel1<<<blocks, threads, 0, stream1>>>(dev_data, N);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(h_result1, dev_data, bytes, cudaMemcpyDeviceToHost, stream1));
	CHECK(cudaEventRecord(done, stream1));
	CHECK(cudaStreamWaitEvent(stream2, done, 0));
	kernel2<<<blocks, threads, 0, stream2>>>(dev_data, N);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(h_result2, dev_data, bytes, cudaMemcpyDeviceToHost, stream2));
	CHECK(cudaStreamSynchronize(stream2));
	CHECK(cudaEventDestroy(done));
	verify_kernel(h_result1, 6, N);
	verify_kernel(h_result2, 7, N);
#else
	kernel1<<<blocks, threads, 0, stream1>>>(dev_data, N);
	kernel2<<<blocks, threads, 0, stream2>>>(dev_data, N); // @kernel2
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(h_result1, dev_data, bytes, cudaMemcpyDeviceToHost,
			      stream1)); // @copy1
	CHECK(cudaMemcpyAsync(h_result2, dev_data, bytes, cudaMemcpyDeviceToHost,
			      stream2)); // @copy2
	CHECK(cudaStreamSynchronize(stream1));
	CHECK(cudaStreamSynchronize(stream2));
	printf("sums %g %g\n", sum(h_result1, N), sum(h_result2, N));
#endif
	CHECK(cudaFree(dev_data));
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	free_result(h_result1);
	free_result(h_result2);
	free(h_data);
	return 0;
}
