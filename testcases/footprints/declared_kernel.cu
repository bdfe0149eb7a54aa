// Two streams scatter into the halves of one buffer. The indices are loaded, so no analysis of the
// code can show the bytes; the program declares what the kernel touches, once for all launches, or
// for EACH. The racy one begins its second half too early.
// expect: SC-105 at=second proven order=no_event
// expect[EACH]: SC-105 at=second proven order=no_event
// expect[FIXED]: clean
// expect[EACH_FIXED]: clean
#include "include/streamcheck/streamcheck.h"
#include "testcases/common.h"
#include "kernels/basic.cuh"

SC_KERNEL scatter(float *out, const int *order, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[order[i]] = 1;
}

HOST_LOOP void count_down(int *order, int n)
{
	for (int i = 0; i < n; i++)
		order[i] = n - 1 - i;
}

static void declare_launch(float *out, const int *order, int n)
{
#if defined(EACH) || defined(EACH_FIXED)
	streamcheck_launch_writes(out, n * sizeof(*out));
	streamcheck_launch_reads(order, n * sizeof(*order));
#endif
	(void)out, (void)order, (void)n;
}

int main()
{
	const int N = 1 << 16, half = N / 2;
	float *h_back = pinned(N * sizeof(float));
	int *h_order = (int *)pinned(half * sizeof(int)), *d_order;
	float *d_data = on_device(N * sizeof(float));
	cudaStream_t stream1, stream2;
#if defined(FIXED) || defined(EACH_FIXED)
	const int begin = half;
#else
	const int begin = half - 64;
#endif

	count_down(h_order, half);
	CHECK(cudaMalloc(&d_order, half * sizeof(int)));
	CHECK(cudaMemcpy(d_order, h_order, half * sizeof(int), cudaMemcpyHostToDevice));
	CHECK(cudaMemset(d_data, 0, N * sizeof(float)));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamCreate(&stream1));
	CHECK(cudaStreamCreate(&stream2));
#if !defined(EACH) && !defined(EACH_FIXED)
	streamcheck_declare_kernel("scatter(*",
				   "writes arg0 bytes 4*arg2; reads arg1 bytes 4*arg2");
#endif
	declare_launch(d_data, d_order, half);
	scatter<<<blocks_for(half), threads, 0, stream1>>>(d_data, d_order, half);
	CHECK(cudaGetLastError());
	declare_launch(d_data + begin, d_order, half);
	scatter<<<blocks_for(half), threads, 0, stream2>>>(d_data + begin, d_order,
							   half); // @second
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(h_back, d_data, N * sizeof(float), cudaMemcpyDeviceToHost));
#if defined(FIXED) || defined(EACH_FIXED)
	verify_kernel(h_back, 1, N);
#endif
	CHECK(cudaStreamDestroy(stream1));
	CHECK(cudaStreamDestroy(stream2));
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(d_order));
	CHECK(cudaFreeHost(h_order));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
