// The values of a sparse matrix are refilled in another stream while cuSPARSE may read them in a
// product: what the closed kernel reads is known by the descriptors. With an event (-DFIXED), or
// where bytes behind the values are filled (-DAPART), that is right. -DRESULT fills the result.
// Also looks that a product writes the columns of its result and nothing between them.
//
// nvcc: -lcusparse
// expect: SC-106 at=refill proven order=no_event
// expect[FIXED]: clean
// expect[APART]: clean
// expect[RESULT]: SC-105 at=refill proven order=no_event
#include <cusparse.h>
#include <vector>
#include "testcases/common.h"

static const int N = 1024, WIDE = 16; // a matrix with two elements in a row; columns of the others
static const float UNTOUCHED = 7;

static cudaStream_t a, b;
static cusparseHandle_t handle;
static char *block; // all operands lie in it
static size_t used; // bytes of it
static float *values, *in, *out;
static int *begins, *columns;
static void *buffer;
static cusparseSpMatDescr_t matrix;
static cusparseDnMatDescr_t dense, result;

static void must(cusparseStatus_t status)
{
	if (status == CUSPARSE_STATUS_SUCCESS)
		return;
	fprintf(stderr, "cuSPARSE answered %d\n", (int)status);
	exit(1);
}

// One count for all types: a static variable of a template exists once for each of them.
template <class T> static T *take(size_t count)
{
	T *at = (T *)(block + used);

	used += (count * sizeof(T) + 4095) / 4096 * 4096;
	return at;
}

template <class T> static void put(T *at, const std::vector<T> &what)
{
	CHECK(cudaMemcpy(at, what.data(), what.size() * sizeof(T), cudaMemcpyHostToDevice));
}

static void make_operands(void)
{
	std::vector<int> first(N + 1), column(2 * N);

	block = (char *)on_device(16 << 20);
	values = take<float>(2 * N + N); // and room behind them
	begins = take<int>(N + 1);
	columns = take<int>(2 * N);
	in = take<float>(N * WIDE);
	out = take<float>(2 * N * WIDE);
	for (int i = 0; i < N; i++) {
		first[i + 1] = 2 * i + 2;
		column[2 * i] = i / 2;
		column[2 * i + 1] = N / 2 + i / 2;
	}
	put(begins, first);
	put(columns, column);
	put(values, std::vector<float>(3 * N, 1));
	put(in, std::vector<float>(N * WIDE, 1));
	put(out, std::vector<float>(2 * N * WIDE, UNTOUCHED));
	CHECK(cudaDeviceSynchronize()); // a copy from pageable memory may return before it is
					// complete
}

// The columns of the result have gaps of their own length.
static void describe(void)
{
	must(cusparseCreate(&handle));
	must(cusparseSetStream(handle, a));
	must(cusparseCreateCsr(&matrix, N, N, 2 * N, begins, columns, values, CUSPARSE_INDEX_32I,
			       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
	must(cusparseCreateDnMat(&dense, N, WIDE, N, in, CUDA_R_32F, CUSPARSE_ORDER_COL));
	must(cusparseCreateDnMat(&result, N, WIDE, 2 * N, out, CUDA_R_32F, CUSPARSE_ORDER_COL));
}

static void multiply(void)
{
	const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
	const float alpha = 1, beta = 0;
	size_t bytes;

	if (!buffer) {
		must(cusparseSpMM_bufferSize(handle, plain, plain, &alpha, matrix, dense, &beta,
					     result, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT,
					     &bytes));
		buffer = take<char>(bytes + 1);
	}
	must(cusparseSpMM(handle, plain, plain, &alpha, matrix, dense, &beta, result, CUDA_R_32F,
			  CUSPARSE_SPMM_ALG_DEFAULT, buffer));
}

static void verify_columns(void)
{
	float *host = pinned(2 * N * WIDE * sizeof(float));

	CHECK(cudaMemcpy(host, out, 2 * N * WIDE * sizeof(float), cudaMemcpyDeviceToHost));
	for (int j = 0; j < WIDE; j++) {
#if defined(FIXED) || defined(APART)
		verify(host + 2 * N * j, 2, N);
#endif
		verify(host + 2 * N * j + N, UNTOUCHED, N);
	}
	CHECK(cudaFreeHost(host));
}

int main()
{
	float *refilled;
	cudaEvent_t done;

	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	make_operands();
	describe();
	multiply(); // the first one loads code, which waits for the device
	CHECK(cudaDeviceSynchronize());

	refilled = values;
#ifdef APART
	refilled = values + 2 * N;
#endif
#ifdef RESULT
	refilled = out;
#endif
	multiply();
#ifdef FIXED
	CHECK(cudaEventRecord(done, a));
	CHECK(cudaStreamWaitEvent(b, done, 0));
#endif
	CHECK(cudaMemsetAsync(refilled, 0, N * sizeof(float), b)); // @refill
	CHECK(cudaDeviceSynchronize());
	verify_columns();

	must(cusparseDestroyDnMat(dense));
	must(cusparseDestroyDnMat(result));
	must(cusparseDestroySpMat(matrix));
	must(cusparseDestroy(handle));
	CHECK(cudaEventDestroy(done));
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
	CHECK(cudaFree(block));
	return 0;
}
