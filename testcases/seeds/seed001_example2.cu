// Everything in the default stream, with an event after each step: right, but the copies go to
// pageable memory and hold the host.
// expect: SC-301 at=copy1 proven
// expect: SC-301 at=copy2 proven
// expect[FIXED]: clean
#include "testcases/common.h"
#include "kernels/basic.cuh"

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
	const int N = 1 << 20;
	const size_t bytes = N * sizeof(float);
	float *h_data = (float *)malloc(bytes);
	float *dev_data = on_device(bytes);
	float *h_result1 = new_result(bytes), *h_result2 = new_result(bytes);
	cudaEvent_t kernel1_done, kernel2_done, copy1_done, copy2_done;

	fill(h_data, 3, N);
	CHECK(cudaMemcpy(dev_data, h_data, bytes, cudaMemcpyHostToDevice));
	CHECK(cudaEventCreate(&kernel1_done));
	CHECK(cudaEventCreate(&kernel2_done));
	CHECK(cudaEventCreate(&copy1_done));
	CHECK(cudaEventCreate(&copy2_done));

	scale<<<blocks_for(N), threads>>>(dev_data, 2, N);
	CHECK(cudaEventRecord(kernel1_done, 0));
	add<<<blocks_for(N), threads>>>(dev_data, 1, N);
	CHECK(cudaEventRecord(kernel2_done, 0));
	CHECK(cudaMemcpyAsync(h_result1, dev_data, bytes, cudaMemcpyDeviceToHost)); // @copy1
	CHECK(cudaEventRecord(copy1_done, 0));
	CHECK(cudaMemcpyAsync(h_result2, dev_data, bytes, cudaMemcpyDeviceToHost)); // @copy2
	CHECK(cudaEventRecord(copy2_done, 0));
	CHECK(cudaEventSynchronize(copy1_done));
	CHECK(cudaEventSynchronize(copy2_done));
	verify_kernel(h_result1, 7, N);
	verify_kernel(h_result2, 7, N);

	CHECK(cudaEventDestroy(kernel1_done));
	CHECK(cudaEventDestroy(kernel2_done));
	CHECK(cudaEventDestroy(copy1_done));
	CHECK(cudaEventDestroy(copy2_done));
	CHECK(cudaFree(dev_data));
	free_result(h_result1);
	free_result(h_result2);
	free(h_data);
	return 0;
}
