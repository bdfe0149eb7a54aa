// Libraries with sparse matrices and with solvers (-DSOLVER), under the names of cuSPARSE and
// cuSOLVER. Their kernels come as machine code alone, and take their operands in a struct that says
// nothing of them.
#include "tests/e2e/libraries/sparse.h"
#include "tests/e2e/libraries/opaque.h"

#ifdef SOLVER
struct solver {
	cudaStream_t stream;
};

int cusolverDnCreate(cusolverDnHandle_t *handle)
{
	*handle = new solver();
	return SUCCESS;
}

int cusolverDnDestroy(cusolverDnHandle_t handle)
{
	delete handle;
	return SUCCESS;
}

int cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream)
{
	handle->stream = stream;
	return SUCCESS;
}

int cusolverDnSgetrf_bufferSize(cusolverDnHandle_t, int m, int n, float *, int lda, int *room)
{
	*room = lda < m ? -1 : m + n;
	return lda < m ? NO_SUCH : SUCCESS;
}

int cusolverDnSgetrf(cusolverDnHandle_t handle, int m, int n, float *a, int lda, float *scratch,
		     int *pivots, int *info)
{
	if (lda < m || !n || !scratch || !pivots || !info)
		return NO_SUCH;
	// Many kernels, as a factorization by blocks takes.
	for (int i = 0; i < 100; i++)
		if (run(a, a, handle->stream))
			return NO_SUCH;
	return SUCCESS;
}

int cusolverDnXpotrf(cusolverDnHandle_t handle, void *, int, int64_t n, int, void *a, int64_t lda,
		     int, void *scratch, size_t, void *, size_t, int *info)
{
	return lda < n || !scratch || !info ? NO_SUCH : run(a, a, handle->stream);
}

// Waits for the first half of its kernels, as a function does that works on the host, too.
int cusolverDnSsyevd(cusolverDnHandle_t handle, int, int, int n, float *a, int lda, float *w,
		     float *scratch, int room, int *info)
{
	if (lda < n || !scratch || !room || !info || run(a, w, handle->stream) ||
	    cudaStreamSynchronize(handle->stream))
		return NO_SUCH;
	return run(w, a, handle->stream);
}
#else
struct sparse_handle {
	cudaStream_t stream;
	int mode;
};

// All kinds of descriptors.
struct descriptor {
	int64_t rows, columns, count, ld;
	void *offsets, *indices, *values;
	int offset_type, index_type, base, type, order;
};

int cusparseCreate(cusparseHandle_t *handle)
{
	*handle = new sparse_handle();
	return SUCCESS;
}

int cusparseDestroy(cusparseHandle_t handle)
{
	delete handle;
	return SUCCESS;
}

int cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
	handle->stream = stream;
	return SUCCESS;
}

int cusparseGetPointerMode(cusparseHandle_t handle, int *mode)
{
	*mode = handle->mode;
	return SUCCESS;
}

int cusparseCreateCsr(descriptor **m, int64_t rows, int64_t columns, int64_t count, void *offsets,
		      void *indices, void *values, int offset_type, int index_type, int base,
		      int type)
{
	*m = new descriptor{rows,   columns,	 count,	     0,	   offsets, indices,
			    values, offset_type, index_type, base, type};
	return SUCCESS;
}

int cusparseCsrSetPointers(descriptor *m, void *offsets, void *indices, void *values)
{
	m->offsets = offsets;
	m->indices = indices;
	m->values = values;
	return SUCCESS;
}

int cusparseCreateDnVec(descriptor **v, int64_t size, void *values, int type)
{
	*v = new descriptor{.rows = size, .values = values, .type = type};
	return SUCCESS;
}

int cusparseCreateDnMat(descriptor **m, int64_t rows, int64_t columns, int64_t ld, void *values,
			int type, int order)
{
	*m = new descriptor{.rows = rows,
			    .columns = columns,
			    .ld = ld,
			    .values = values,
			    .type = type,
			    .order = order};
	return SUCCESS;
}

// ---- questions ----

int cusparseSpMatGetFormat(const descriptor *, int *format)
{
	*format = 1;
	return SUCCESS;
}

int cusparseSpMatGetStridedBatch(const descriptor *, int *batches)
{
	*batches = 1;
	return SUCCESS;
}

int cusparseConstCsrGet(const descriptor *m, int64_t *rows, int64_t *columns, int64_t *count,
			const void **offsets, const void **indices, const void **values,
			int *offset_type, int *index_type, int *base, int *type)
{
	*rows = m->rows;
	*columns = m->columns;
	*count = m->count;
	*offsets = m->offsets;
	*indices = m->indices;
	*values = m->values;
	*offset_type = m->offset_type;
	*index_type = m->index_type;
	*base = m->base;
	*type = m->type;
	return SUCCESS;
}

int cusparseConstDnVecGet(const descriptor *v, int64_t *size, const void **values, int *type)
{
	*size = v->rows;
	*values = v->values;
	*type = v->type;
	return SUCCESS;
}

int cusparseConstDnMatGet(const descriptor *m, int64_t *rows, int64_t *columns, int64_t *ld,
			  const void **values, int *type, int *order)
{
	*rows = m->rows;
	*columns = m->columns;
	*ld = m->ld;
	*values = m->values;
	*type = m->type;
	*order = m->order;
	return SUCCESS;
}

int cusparseDnMatGetStridedBatch(const descriptor *, int *batches, int64_t *stride)
{
	*batches = 1;
	*stride = 0;
	return SUCCESS;
}

// Formats that the stand-in has no matrices of.
int cusparseConstCscGet(const descriptor *)
{
	return NO_SUCH;
}

int cusparseConstCooGet(const descriptor *)
{
	return NO_SUCH;
}

int cusparseConstBlockedEllGet(const descriptor *)
{
	return NO_SUCH;
}

int cusparseConstSpVecGet(const descriptor *)
{
	return NO_SUCH;
}

// ---- products ----

int cusparseSpMV_bufferSize(cusparseHandle_t, int, const void *, const descriptor *m,
			    const descriptor *, const void *, descriptor *, int, int, size_t *bytes)
{
	*bytes = (size_t)m->rows * sizeof(float);
	return SUCCESS;
}

int cusparseSpMV_preprocess(cusparseHandle_t handle, int, const void *, const descriptor *m,
			    const descriptor *, const void *, descriptor *, int, int, void *buffer)
{
	return buffer ? run(m->offsets, buffer, handle->stream) : NO_SUCH;
}

int cusparseSpMV(cusparseHandle_t handle, int, const void *alpha, const descriptor *m,
		 const descriptor *x, const void *beta, descriptor *y, int, int, void *)
{
	return m && alpha && beta ? run(x->values, y->values, handle->stream) : NO_SUCH;
}

// The analysis keeps the memory for solving.
struct analyzed {
	float *buffer;
};

int cusparseSpSV_createDescr(analyzed **state)
{
	*state = new analyzed();
	return SUCCESS;
}

int cusparseSpSV_bufferSize(cusparseHandle_t, int, const void *, const descriptor *m,
			    const descriptor *, descriptor *, int, int, analyzed *state,
			    size_t *bytes)
{
	*bytes = (size_t)m->rows * sizeof(float);
	return state ? SUCCESS : NO_SUCH;
}

int cusparseSpSV_analysis(cusparseHandle_t handle, int, const void *, const descriptor *m,
			  const descriptor *, descriptor *, int, int, analyzed *state, void *buffer)
{
	state->buffer = (float *)buffer;
	return run(m->values, buffer, handle->stream);
}

int cusparseSpSV_solve(cusparseHandle_t handle, int, const void *, const descriptor *,
		       const descriptor *x, descriptor *y, int, int, analyzed *state)
{
	return state->buffer ? run(x->values, y->values, handle->stream) : NO_SUCH;
}

int cusparseCsr2cscEx2_bufferSize(cusparseHandle_t, int m, int n, int, const void *, const int *,
				  const int *, void *, int *, int *, int, int, int, int,
				  size_t *bytes)
{
	*bytes = (size_t)(m + n) * sizeof(int);
	return SUCCESS;
}

int cusparseCsr2cscEx2(cusparseHandle_t handle, int, int, int, const void *values, const int *,
		       const int *, void *to_values, int *to_begins, int *, int, int, int, int,
		       void *buffer)
{
	return to_begins && buffer ? run(values, to_values, handle->stream) : NO_SUCH;
}

int cusparseXcoo2csr(cusparseHandle_t handle, const int *rows, int, int, int *begins, int)
{
	return run(rows, begins, handle->stream);
}

int cusparseSpMM(cusparseHandle_t handle, int, int, const void *alpha, const descriptor *m,
		 const descriptor *b, const void *beta, descriptor *c, int, int, void *)
{
	return m && alpha && beta ? run(b->values, c->values, handle->stream) : NO_SUCH;
}
#endif
