// A value in memory is all that orders a copy after the fill of another stream.
// expect: SC-320 at=copy_out proven
// expect[BATCH]: SC-320 at=copy_out proven
// expect[FIXED]: clean
#include "testcases/driver.h"

// A value is written, or waited for, by an operation of a batch of two; the other one is a barrier.
static void batch(cudaStream_t stream, float *flag, CUstreamBatchMemOpType type)
{
	CUstreamBatchMemOpParams ops[2] = {};

	ops[0].memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
	ops[0].memoryBarrier.flags = CU_STREAM_MEMORY_BARRIER_TYPE_GPU;
	ops[1].operation = type;
	if (type == CU_STREAM_MEM_OP_WRITE_VALUE_32) {
		ops[1].writeValue.address = (CUdeviceptr)flag;
		ops[1].writeValue.value = 1;
	} else {
		ops[1].waitValue.address = (CUdeviceptr)flag;
		ops[1].waitValue.value = 1;
		ops[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
	}
	DRIVER_CHECK(DRIVER(cuStreamBatchMemOp)(stream, 2, ops, 0));
}

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *d_data = on_device(bytes), *h_back = pinned(bytes);
	float *flag = on_device(sizeof(float));
	cudaStream_t first, second;
	cudaEvent_t written;

	auto write_value = DRIVER(cuStreamWriteValue32);
	auto wait_value = DRIVER(cuStreamWaitValue32);

	CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&written, cudaEventDisableTiming));
	CHECK(cudaMemset(flag, 0, sizeof(float)));
	CHECK(cudaDeviceSynchronize());
	fill(h_back, 9, N);
	CHECK(cudaMemsetAsync(d_data, 0, bytes, first));
#ifdef BATCH
	batch(first, flag, CU_STREAM_MEM_OP_WRITE_VALUE_32);
#else
	DRIVER_CHECK(write_value(first, (CUdeviceptr)flag, 1, 0));
#endif
#ifdef FIXED
	CHECK(cudaEventRecord(written, first));
	CHECK(cudaStreamWaitEvent(second, written, 0));
#endif
#ifdef BATCH
	batch(second, flag, CU_STREAM_MEM_OP_WAIT_VALUE_32);
#else
	DRIVER_CHECK(wait_value(second, (CUdeviceptr)flag, 1, CU_STREAM_WAIT_VALUE_EQ));
#endif
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, second)); // @copy_out
	CHECK(cudaStreamSynchronize(second));
	verify(h_back, 0, N);
	CHECK(cudaEventDestroy(written));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(flag));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
