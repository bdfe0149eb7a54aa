// What the stand-ins for cuSPARSE and cuSOLVER can do, as operands.h has it for others.
#ifndef SC_E2E_LIBRARIES_SPARSE_H
#define SC_E2E_LIBRARIES_SPARSE_H

#include "tests/e2e/libraries/operands.h"

typedef struct sparse_handle *cusparseHandle_t;
typedef struct solver *cusolverDnHandle_t;
struct descriptor; // of cuSPARSE
struct analyzed;   // of its solvers

extern "C" {
int cusparseCreate(cusparseHandle_t *handle);
int cusparseDestroy(cusparseHandle_t handle);
int cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
int cusparseGetPointerMode(cusparseHandle_t handle, int *mode);
int cusparseCreateCsr(descriptor **m, int64_t rows, int64_t columns, int64_t count, void *offsets,
		      void *indices, void *values, int offset_type, int index_type, int base,
		      int type);
int cusparseCsrSetPointers(descriptor *m, void *offsets, void *indices, void *values);
int cusparseCreateDnVec(descriptor **v, int64_t size, void *values, int type);
int cusparseCreateDnMat(descriptor **m, int64_t rows, int64_t columns, int64_t ld, void *values,
			int type, int order);
int cusparseSpMatGetFormat(const descriptor *m, int *format);
int cusparseSpMatGetStridedBatch(const descriptor *m, int *batches);
int cusparseConstCsrGet(const descriptor *m, int64_t *rows, int64_t *columns, int64_t *count,
			const void **offsets, const void **indices, const void **values,
			int *offset_type, int *index_type, int *base, int *type);
int cusparseConstCscGet(const descriptor *m);
int cusparseConstCooGet(const descriptor *m);
int cusparseConstBlockedEllGet(const descriptor *m);
int cusparseConstSpVecGet(const descriptor *v);
int cusparseConstDnVecGet(const descriptor *v, int64_t *size, const void **values, int *type);
int cusparseConstDnMatGet(const descriptor *m, int64_t *rows, int64_t *columns, int64_t *ld,
			  const void **values, int *type, int *order);
int cusparseDnMatGetStridedBatch(const descriptor *m, int *batches, int64_t *stride);
int cusparseSpMV_bufferSize(cusparseHandle_t handle, int operation, const void *alpha,
			    const descriptor *m, const descriptor *x, const void *beta,
			    descriptor *y, int type, int algorithm, size_t *bytes);
int cusparseSpMV_preprocess(cusparseHandle_t handle, int operation, const void *alpha,
			    const descriptor *m, const descriptor *x, const void *beta,
			    descriptor *y, int type, int algorithm, void *buffer);
int cusparseSpMV(cusparseHandle_t handle, int operation, const void *alpha, const descriptor *m,
		 const descriptor *x, const void *beta, descriptor *y, int type, int algorithm,
		 void *buffer);
int cusparseSpMM(cusparseHandle_t handle, int operation, int other, const void *alpha,
		 const descriptor *m, const descriptor *b, const void *beta, descriptor *c,
		 int type, int algorithm, void *buffer);
int cusparseSpSV_createDescr(analyzed **state);
int cusparseSpSV_bufferSize(cusparseHandle_t handle, int operation, const void *alpha,
			    const descriptor *m, const descriptor *x, descriptor *y, int type,
			    int algorithm, analyzed *state, size_t *bytes);
int cusparseSpSV_analysis(cusparseHandle_t handle, int operation, const void *alpha,
			  const descriptor *m, const descriptor *x, descriptor *y, int type,
			  int algorithm, analyzed *state, void *buffer);
int cusparseSpSV_solve(cusparseHandle_t handle, int operation, const void *alpha,
		       const descriptor *m, const descriptor *x, descriptor *y, int type,
		       int algorithm, analyzed *state);
int cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int count,
				  const void *values, const int *begins, const int *indices,
				  void *to_values, int *to_begins, int *to_indices, int type,
				  int action, int base, int algorithm, size_t *bytes);
int cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int count, const void *values,
		       const int *begins, const int *indices, void *to_values, int *to_begins,
		       int *to_indices, int type, int action, int base, int algorithm,
		       void *buffer);
int cusparseXcoo2csr(cusparseHandle_t handle, const int *rows, int count, int m, int *begins,
		     int base);

int cusolverDnCreate(cusolverDnHandle_t *handle);
int cusolverDnDestroy(cusolverDnHandle_t handle);
int cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
int cusolverDnSgetrf_bufferSize(cusolverDnHandle_t handle, int m, int n, float *a, int lda,
				int *room);
int cusolverDnSgetrf(cusolverDnHandle_t handle, int m, int n, float *a, int lda, float *scratch,
		     int *pivots, int *info);
int cusolverDnXpotrf(cusolverDnHandle_t handle, void *settings, int part, int64_t n, int type,
		     void *a, int64_t lda, int compute, void *scratch, size_t bytes, void *host,
		     size_t host_bytes, int *info);
int cusolverDnSsyevd(cusolverDnHandle_t handle, int vectors, int part, int n, float *a, int lda,
		     float *w, float *scratch, int room, int *info);
}

#ifdef LOOKED_UP
#define cusparseCreate		      LOOK_UP(cusparseCreate)
#define cusparseDestroy		      LOOK_UP(cusparseDestroy)
#define cusparseSetStream	      LOOK_UP(cusparseSetStream)
#define cusparseCreateCsr	      LOOK_UP(cusparseCreateCsr)
#define cusparseCsrSetPointers	      LOOK_UP(cusparseCsrSetPointers)
#define cusparseCreateDnVec	      LOOK_UP(cusparseCreateDnVec)
#define cusparseCreateDnMat	      LOOK_UP(cusparseCreateDnMat)
#define cusparseSpMV_bufferSize	      LOOK_UP(cusparseSpMV_bufferSize)
#define cusparseSpMV_preprocess	      LOOK_UP(cusparseSpMV_preprocess)
#define cusparseSpMV		      LOOK_UP(cusparseSpMV)
#define cusparseSpMM		      LOOK_UP(cusparseSpMM)
#define cusparseXcoo2csr	      LOOK_UP(cusparseXcoo2csr)
#define cusparseSpSV_createDescr      LOOK_UP(cusparseSpSV_createDescr)
#define cusparseSpSV_bufferSize	      LOOK_UP(cusparseSpSV_bufferSize)
#define cusparseSpSV_analysis	      LOOK_UP(cusparseSpSV_analysis)
#define cusparseSpSV_solve	      LOOK_UP(cusparseSpSV_solve)
#define cusparseCsr2cscEx2_bufferSize LOOK_UP(cusparseCsr2cscEx2_bufferSize)
#define cusparseCsr2cscEx2	      LOOK_UP(cusparseCsr2cscEx2)
#define cusolverDnCreate	      LOOK_UP(cusolverDnCreate)
#define cusolverDnDestroy	      LOOK_UP(cusolverDnDestroy)
#define cusolverDnSetStream	      LOOK_UP(cusolverDnSetStream)
#define cusolverDnSgetrf	      LOOK_UP(cusolverDnSgetrf)
#define cusolverDnXpotrf	      LOOK_UP(cusolverDnXpotrf)
#define cusolverDnSsyevd	      LOOK_UP(cusolverDnSsyevd)
#endif

#endif
