// One handle of cuBLAS multiplies in two streams, whose scratch memory it shares; an event that
// orders the two makes that right (-DFIXED).
//
// nvcc: -lcublas
// expect: SC-209 at=second possible
// expect[FIXED]: clean
#include <cublas_v2.h>
#include "testcases/common.h"

static const int N = 256;

static void must(cublasStatus_t status)
{
	if (status == CUBLAS_STATUS_SUCCESS)
		return;
	fprintf(stderr, "cuBLAS answered %d\n", (int)status);
	exit(1);
}

int main()
{
	const size_t bytes = N * N * sizeof(float);
	const float one = 1, zero = 0;
	float *d_in = on_device(bytes), *d_first = on_device(bytes), *d_second = on_device(bytes);
	cublasHandle_t handle;
	cudaStream_t a, b;
	cudaEvent_t done;

	CHECK(cudaMemset(d_in, 0, bytes));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	must(cublasCreate(&handle));
	must(cublasSetStream(handle, a));
	must(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, d_in, N, d_in, N, &zero,
			 d_first, N));
#ifdef FIXED
	CHECK(cudaEventRecord(done, a));
	CHECK(cudaStreamWaitEvent(b, done, 0));
#endif
	must(cublasSetStream(handle, b));
	must(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, d_in, N, d_in, N, &zero,
			 d_second, N)); // @second
	CHECK(cudaStreamSynchronize(a));
	CHECK(cudaStreamSynchronize(b));
	must(cublasDestroy(handle));
	CHECK(cudaEventDestroy(done));
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
	CHECK(cudaFree(d_in));
	CHECK(cudaFree(d_first));
	CHECK(cudaFree(d_second));
	return 0;
}
