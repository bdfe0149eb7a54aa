// Two streams count up, a third waits for the count: a counter orders nothing for certain.
// expect: SC-105 at=other proven order=no_event
// expect[COUNTED]: SC-106 at=lower possible doubt=unseen_signal
// expect[COUNTED]: SC-106 at=upper possible doubt=unseen_signal
// expect[FIXED]: clean
#include "testcases/driver.h"

#define ATOMIC_REDUCTION_SUPPORTED ((CUdevice_attribute)148)
#define ATOMIC_REDUCTION	   ((CUstreamBatchMemOpType)8)

// CUstreamBatchMemOpParams::atomicReduction, of 13.x.
struct reduction {
	CUstreamBatchMemOpType operation;
	unsigned flags;
	int operation_on_word; // 0: add
	int type;	       // CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32
	CUdeviceptr address;
	cuuint64_t value;
};

static void count_up(cudaStream_t stream, float *word)
{
	CUstreamBatchMemOpParams op = {};
	struct reduction *add = (struct reduction *)&op;

	add->operation = ATOMIC_REDUCTION;
	add->type = CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_SCALAR_32 |
		    CU_ATOMIC_CAPABILITY_REDUCTION;
	add->address = (CUdeviceptr)word;
	add->value = 1;
	DRIVER_CHECK(DRIVER(cuStreamBatchMemOp)(stream, 1, &op, 0));
}

static void need_reductions()
{
	int supported = 0;

	if (DRIVER(cuDeviceGetAttribute)(&supported, ATOMIC_REDUCTION_SUPPORTED, 0) ==
		    CUDA_SUCCESS &&
	    supported)
		return;
	printf("this driver has no atomic reductions\n");
	exit(EXIT_SKIPPED);
}

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *d_data = on_device(bytes), *h_back = pinned(bytes), *word = on_device(sizeof(float));
	cudaStream_t first, second, third;
	cudaEvent_t written[2];

	need_reductions();
	CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&written[0], cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&written[1], cudaEventDisableTiming));
	CHECK(cudaMemset(word, 0, sizeof(float)));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemsetAsync(d_data, 0, bytes / 2, first)); // @lower
	count_up(first, word);
	CHECK(cudaEventRecord(written[0], first));
#if defined(COUNTED) || defined(FIXED)
	CHECK(cudaMemsetAsync(d_data + N / 2, 0, bytes / 2, second)); // @upper
#else
	CHECK(cudaMemsetAsync(d_data, 0, bytes, second)); // @other
#endif
	count_up(second, word);
	CHECK(cudaEventRecord(written[1], second));
#ifndef COUNTED
	CHECK(cudaStreamWaitEvent(third, written[0], 0));
	CHECK(cudaStreamWaitEvent(third, written[1], 0));
#endif
	DRIVER_CHECK(
		DRIVER(cuStreamWaitValue32)(third, (CUdeviceptr)word, 2, CU_STREAM_WAIT_VALUE_EQ));
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, third));
	CHECK(cudaStreamSynchronize(third));
#ifdef COUNTED
	CHECK(cudaDeviceSynchronize());
#endif
	verify(h_back, 0, N);
	CHECK(cudaEventDestroy(written[0]));
	CHECK(cudaEventDestroy(written[1]));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaStreamDestroy(third));
	CHECK(cudaFree(word));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
