// A library with products of matrices, under the names of cuBLAS and cublasLt.
#include <errno.h>
#include "tests/e2e/libraries/operands.h"
#include "testcases/common.h"

#define SUCCESS 0
#define NO_SUCH 1

struct operands_handle {
	cudaStream_t stream;
	int mode;
	float *scratch;
};

// More than 64 bytes: which words of it are pointers is not known from outside.
struct operands {
	int64_t numbers[12];
	const float *a, *b;
	float *c;
};

static __global__ void product(operands o)
{
	o.c[threadIdx.x] += o.a[threadIdx.x] * o.b[threadIdx.x];
}

static int multiply(const float *a, const float *b, float *c, cudaStream_t stream)
{
	operands o = {{}, a, b, c};

	errno = EDOM; // the caller's to see
	product<<<1, 1, 0, stream>>>(o);
	return cudaGetLastError() ? NO_SUCH : SUCCESS;
}

int cublasCreate_v2(cublasHandle_t *handle)
{
	*handle = new operands_handle();
	return cudaMalloc(&(*handle)->scratch, 1 << 20) ? NO_SUCH : SUCCESS;
}

int cublasDestroy_v2(cublasHandle_t handle)
{
	cudaFree(handle->scratch);
	delete handle;
	return SUCCESS;
}

int cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
	handle->stream = stream;
	return SUCCESS;
}

int cublasSetWorkspace_v2(cublasHandle_t handle, void *memory, size_t bytes)
{
	return handle && memory && bytes ? SUCCESS : NO_SUCH;
}

int cublasSetPointerMode_v2(cublasHandle_t handle, int mode)
{
	handle->mode = mode;
	return SUCCESS;
}

int cublasGetPointerMode_v2(cublasHandle_t handle, int *mode)
{
	*mode = handle->mode;
	return SUCCESS;
}

int cublasSgemm_v2(cublasHandle_t handle, int ta, int tb, int m, int n, int k, const float *alpha,
		   const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
		   int ldc)
{
	int status;

	if (!handle || m < 0 || n < 0 || k < 0 || ta || tb || lda < m || ldb < k || ldc < m ||
	    !alpha || !beta)
		return NO_SUCH;
	if (k == COPIED_DEPTH && cudaMemcpyAsync(handle->scratch, a, sizeof(float) * m * k,
						 cudaMemcpyDeviceToDevice, handle->stream))
		return NO_SUCH;
	status = multiply(k == COPIED_DEPTH ? handle->scratch : a, b, c, handle->stream);
	if (k == THROWN_DEPTH)
		throw k;
	return k == SPLIT_DEPTH && !status ? multiply(a, b, c, handle->stream) : status;
}

int cublasSgemmStridedBatched(cublasHandle_t handle, int ta, int tb, int m, int n, int k,
			      const float *alpha, const float *a, int lda, long long sa,
			      const float *b, int ldb, long long sb, const float *beta, float *c,
			      int ldc, long long sc, int batches)
{
	if (batches != 1) // one launch for all of them
		return multiply(a, b, c, handle->stream);
	(void)sa;
	(void)sb;
	(void)sc;
	return cublasSgemm_v2(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

static int answer(const described *object, int attribute, void *out, size_t room, size_t *written)
{
	if (!object || attribute < 0 || attribute >= 40)
		return NO_SUCH;
	memcpy(out, &object->attribute[attribute], room);
	*written = room;
	return SUCCESS;
}

int cublasLtMatrixLayoutGetAttribute(const described *layout, int attribute, void *out, size_t room,
				     size_t *written)
{
	return answer(layout, attribute, out, room, written);
}

int cublasLtMatmulDescGetAttribute(const described *product, int attribute, void *out, size_t room,
				   size_t *written)
{
	return answer(product, attribute, out, room, written);
}

int cublasLtMatmul(void *handle, const described *product, const void *alpha, const void *a,
		   const described *a_layout, const void *b, const described *b_layout,
		   const void *beta, const void *c, const described *c_layout, void *d,
		   const described *d_layout, const void *algorithm, void *workspace,
		   size_t workspace_bytes, cudaStream_t stream)
{
	if (!product || !a_layout || !b_layout || !c_layout || !d_layout)
		return NO_SUCH;
	return multiply((const float *)a, (const float *)b, (float *)d, stream);
}
