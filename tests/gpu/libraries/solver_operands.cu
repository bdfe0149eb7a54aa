// A matrix is refilled in another stream while cuSOLVER may factor it: what the closed kernels read
// is known by the call. With an event (-DFIXED), or where the gap between two columns is filled
// (-DAPART), that is right. -DTRIANGLE does so with a Cholesky factorization by the function with
// 64-bit sizes. That the matrix is read is certain, what of it is written is not: one finding.
// Also looks that the gaps stay as they were.
//
// nvcc: -lcusolver
// expect: SC-106 at=refill proven order=no_event
// expect[FIXED]: clean
// expect[APART]: clean
// expect[TRIANGLE]: SC-106 at=refill proven order=no_event
#include <cusolverDn.h>
#include <vector>
#include "testcases/common.h"

static const int N = 64; // so few columns take few kernels
static const double UNTOUCHED = 7;

static cudaStream_t a, b;
static cusolverDnHandle_t handle;
static double *matrix, *scratch;
static int *pivots, *info;

static void must(cusolverStatus_t status)
{
	if (status == CUSOLVER_STATUS_SUCCESS)
		return;
	fprintf(stderr, "cuSOLVER answered %d\n", (int)status);
	exit(1);
}

// Columns of N elements, and gaps of as many; the diagonal is large.
static std::vector<double> columns(void)
{
	std::vector<double> out;

	for (int j = 0; j < N; j++)
		for (int i = 0; i < 2 * N; i++)
			out.push_back(i == j ? 1000 : i < N ? 1 : UNTOUCHED);
	return out;
}

#ifdef TRIANGLE
static void factor(void)
{
	static cusolverDnParams_t params;
	static std::vector<char> host;
	static size_t bytes, host_bytes;

	if (!scratch) {
		must(cusolverDnCreateParams(&params));
		must(cusolverDnXpotrf_bufferSize(handle, params, CUBLAS_FILL_MODE_LOWER, N,
						 CUDA_R_64F, matrix, 2 * N, CUDA_R_64F, &bytes,
						 &host_bytes));
		scratch = (double *)on_device(bytes + 1);
		host.resize(host_bytes + 1);
	}
	must(cusolverDnXpotrf(handle, params, CUBLAS_FILL_MODE_LOWER, N, CUDA_R_64F, matrix, 2 * N,
			      CUDA_R_64F, scratch, bytes, host.data(), host_bytes, info));
}
#else
static void factor(void)
{
	int room;

	if (!scratch) {
		must(cusolverDnDgetrf_bufferSize(handle, N, N, matrix, 2 * N, &room));
		scratch = (double *)on_device((size_t)room * sizeof(double) + 1);
	}
	must(cusolverDnDgetrf(handle, N, N, matrix, 2 * N, scratch, pivots, info));
}
#endif

// A copy from pageable memory may return before it is complete.
static void fill_matrix(const std::vector<double> &host)
{
	CHECK(cudaMemcpy(matrix, host.data(), host.size() * sizeof(double),
			 cudaMemcpyHostToDevice));
	CHECK(cudaDeviceSynchronize());
}

int main()
{
	const size_t bytes = (size_t)2 * N * N * sizeof(double);
	std::vector<double> host = columns();
	double *refilled;
	cudaEvent_t done;

	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	matrix = (double *)on_device(bytes);
	pivots = (int *)on_device(N * sizeof(int));
	info = (int *)on_device(sizeof(int));
	must(cusolverDnCreate(&handle));
	must(cusolverDnSetStream(handle, a));
	fill_matrix(host);
	factor(); // the first one loads code, which waits for the device
	CHECK(cudaDeviceSynchronize());
	fill_matrix(host);

	refilled = matrix;
#ifdef APART
	refilled = matrix + N;
#endif
	factor();
#ifdef FIXED
	CHECK(cudaEventRecord(done, a));
	CHECK(cudaStreamWaitEvent(b, done, 0));
#endif
	CHECK(cudaMemsetAsync(refilled, 0, N * sizeof(double), b)); // @refill
	CHECK(cudaDeviceSynchronize());

	CHECK(cudaMemcpy(host.data(), matrix, bytes, cudaMemcpyDeviceToHost));
	for (int j = 1; j < N; j++)
		for (int i = N; i < 2 * N; i++)
			if (host[(size_t)j * 2 * N + i] != UNTOUCHED)
				return EXIT_WRONG;
	must(cusolverDnDestroy(handle));
	CHECK(cudaEventDestroy(done));
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
	CHECK(cudaFree(matrix));
	CHECK(cudaFree(scratch));
	CHECK(cudaFree(pivots));
	CHECK(cudaFree(info));
	return 0;
}
