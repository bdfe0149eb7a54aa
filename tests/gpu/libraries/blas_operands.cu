// A matrix, or the bias of a product (-DLIGHT), is refilled in another stream while cuBLAS may read
// it: what the closed kernel reads is known by the call. With an event (-DFIXED), or where other
// bytes of the same block are filled (-DAPART, -DLIGHT_APART), that is right. Also looks that
// cuBLAS writes what its manual says, and nothing between the columns of the result.
//
// nvcc: -lcublas -lcublasLt
// expect: SC-106 at=refill proven order=no_event
// expect[FIXED]: clean
// expect[APART]: clean
// expect[LIGHT]: SC-106 at=refill proven order=no_event
// expect[LIGHT_APART]: clean
#include <cublasLt.h>
#include <cublas_v2.h>
#include "testcases/common.h"

#ifdef LIGHT_APART
#define LIGHT
#define APART
#endif

static const int N = 512, DEPTH = 64; // a sum of so few elements is not divided among kernels
static const size_t MATRIX = (size_t)N * N;
static const float UNTOUCHED = 7;

static float *block; // a, b, c with gaps, bias, and room
static float *matrix_a, *matrix_b, *matrix_c, *bias;
static cudaStream_t a, b;

static void must(cublasStatus_t status)
{
	if (status == CUBLAS_STATUS_SUCCESS)
		return;
	fprintf(stderr, "cuBLAS answered %d\n", (int)status);
	exit(1);
}

// c = a * b, in columns of 2 * N elements of which every second N are not used.
[[maybe_unused]] static void multiply(void)
{
	static cublasHandle_t handle;
	const float one = 1, zero = 0;

	if (!handle)
		must(cublasCreate(&handle));
	must(cublasSetStream(handle, a));
	must(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, N, N, DEPTH, &one, matrix_a, N, matrix_b,
			 N, &zero, matrix_c, 2 * N));
}

static void set(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t which,
		const void *value, size_t bytes)
{
	must(cublasLtMatmulDescSetAttribute(product, which, value, bytes));
}

// The same by cublasLt, with a bias for each row.
[[maybe_unused]] static void multiply_light(void)
{
	static cublasLtHandle_t handle;
	const float one = 1, zero = 0;
	const cublasOperation_t transposed = CUBLAS_OP_T;
	const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
	cublasLtMatmulDesc_t product;
	cublasLtMatrixLayout_t narrow, wide;

	if (!handle)
		must(cublasLtCreate(&handle));
	must(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	set(product, CUBLASLT_MATMUL_DESC_TRANSB, &transposed, sizeof(transposed));
	set(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue));
	set(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
	must(cublasLtMatrixLayoutCreate(&narrow, CUDA_R_32F, N, DEPTH, N));
	must(cublasLtMatrixLayoutCreate(&wide, CUDA_R_32F, N, N, 2 * N));
	must(cublasLtMatmul(handle, product, &one, matrix_a, narrow, matrix_b, narrow, &zero,
			    matrix_c, wide, matrix_c, wide, NULL, NULL, 0, a));
	must(cublasLtMatrixLayoutDestroy(narrow));
	must(cublasLtMatrixLayoutDestroy(wide));
	must(cublasLtMatmulDescDestroy(product));
}

static void work(void)
{
#ifdef LIGHT
	multiply_light();
#else
	multiply();
#endif
}

static void verify_columns(void)
{
	float *host = pinned(2 * MATRIX * sizeof(float));

	CHECK(cudaMemcpy(host, matrix_c, 2 * MATRIX * sizeof(float), cudaMemcpyDeviceToHost));
	for (int column = 0; column < N; column++) {
		verify(host + (size_t)column * 2 * N, 0, N);
		verify(host + (size_t)column * 2 * N + N, UNTOUCHED, N);
	}
	CHECK(cudaFreeHost(host));
}

static void fill_device(float *data, float value, size_t n)
{
	float *host = pinned(n * sizeof(float));

	fill(host, value, (int)n);
	CHECK(cudaMemcpy(data, host, n * sizeof(float), cudaMemcpyHostToDevice));
	CHECK(cudaFreeHost(host));
}

int main()
{
	const size_t elements = (size_t)N * DEPTH;
	cudaEvent_t done;
	float *refilled;

	block = on_device((2 * elements + 2 * MATRIX + 2 * N + elements) * sizeof(float));
	matrix_a = block;
	matrix_b = matrix_a + elements;
	matrix_c = matrix_b + elements;
	bias = matrix_c + 2 * MATRIX;
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaMemset(block, 0, 2 * elements * sizeof(float)));
	CHECK(cudaMemset(bias, 0, N * sizeof(float)));
	fill_device(matrix_c, UNTOUCHED, 2 * MATRIX);
	work(); // the first one loads code, which waits for the device
	CHECK(cudaDeviceSynchronize());

	work();
#ifdef FIXED
	CHECK(cudaEventRecord(done, a));
	CHECK(cudaStreamWaitEvent(b, done, 0));
#endif
#ifdef APART
	refilled = bias + N;
#elif defined(LIGHT)
	refilled = bias;
#else
	refilled = matrix_a;
#endif
	CHECK(cudaMemsetAsync(refilled, 0, N * sizeof(float), b)); // @refill
	CHECK(cudaDeviceSynchronize());
	verify_columns();

	CHECK(cudaEventDestroy(done));
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
	CHECK(cudaFree(block));
	return 0;
}
