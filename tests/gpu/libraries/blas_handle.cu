// One handle of cuBLAS multiplies in two streams with the same scratch memory; an event that
// orders the two makes that right (-DFIXED). Scratch memory of its own (-DOWN) cuBLAS orders
// itself: it records an event after its work, and queries it before it works in another stream.
//
// nvcc: -lcublas
// expect: SC-209 at=second possible doubt=library_scratch
// expect[FIXED]: clean
// expect[OWN]: clean
#include <cublas_v2.h>
#include "testcases/common.h"

static const int N = 256;
static const size_t WORKSPACE_BYTES = 8 << 20;

static cublasHandle_t handle;
static float *d_in, *d_out, *d_workspace;

static void must(cublasStatus_t status)
{
	if (status == CUBLAS_STATUS_SUCCESS)
		return;
	fprintf(stderr, "cuBLAS answered %d\n", (int)status);
	exit(1);
}

static void use_stream(cudaStream_t stream)
{
	must(cublasSetStream(handle, stream));
#ifndef OWN
	must(cublasSetWorkspace(handle, d_workspace, WORKSPACE_BYTES));
#endif
}

// Each product has its own place: only the handle is shared.
static void multiply(int place)
{
	const float one = 1, zero = 0;

	must(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, d_in, N, d_in, N, &zero,
			 d_out + (size_t)place * N * N, N));
}

int main()
{
	const size_t bytes = N * N * sizeof(float);
	cudaStream_t a, b;
	cudaEvent_t done;

	d_in = on_device(bytes);
	d_out = on_device(3 * bytes);
	d_workspace = on_device(WORKSPACE_BYTES);
	CHECK(cudaMemset(d_in, 0, bytes));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	must(cublasCreate(&handle));
	use_stream(a);
	multiply(0); // the first one loads code, which waits for the device
	CHECK(cudaDeviceSynchronize());

	multiply(1);
#ifdef FIXED
	CHECK(cudaEventRecord(done, a));
	CHECK(cudaStreamWaitEvent(b, done, 0));
#endif
	use_stream(b);
	multiply(2); // @second
	CHECK(cudaDeviceSynchronize());

	must(cublasDestroy(handle));
	CHECK(cudaEventDestroy(done));
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
	CHECK(cudaFree(d_in));
	CHECK(cudaFree(d_out));
	CHECK(cudaFree(d_workspace));
	return 0;
}
