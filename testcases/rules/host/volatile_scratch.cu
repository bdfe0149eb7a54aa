// A kernel keeps intermediate results in device memory, by volatile accesses, and writes what the
// host reads plainly: nothing there is a word that the host could wait for, and no fence would
// publish the rest. With a fence, or where the results themselves are volatile, the host may have
// waited for them (M-4).
// env: CUDA_MODULE_LOADING=EAGER
// expect: SC-101 at=read proven order=none
// expect[FENCE]: SC-101 at=read possible doubt=signal_in_memory
// expect[RESULTS]: SC-101 at=read possible doubt=signal_in_memory
// expect[FIXED]: clean
// options: advice=no
#include "testcases/common.h"

static const int N = 64;

#ifdef RESULTS
typedef volatile float result;
#else
typedef float result;
#endif

static __global__ void add(volatile float *scratch, result *sums)
{
	int i = threadIdx.x;

	scratch[i] = i;
	__syncthreads();
#ifdef FENCE
	__threadfence_system();
#endif
	sums[i] = scratch[i] + scratch[(i + 1) % N];
}

HOST_LOOP float first(const volatile float *sums)
{
	return sums[0]; // @read
}

int main()
{
	float *scratch = on_device(N * sizeof(float)), *sums, *d_sums;
	cudaStream_t stream;

	CHECK(cudaHostAlloc(&sums, N * sizeof(float), cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer(&d_sums, sums, 0));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	add<<<1, N, 0, stream>>>(scratch, d_sums);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	printf("%d\n", first(sums) > 0);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(scratch));
	CHECK(cudaFreeHost(sums));
	return 0;
}
