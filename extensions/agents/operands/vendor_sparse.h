/* Numbers of cuSPARSE and cuSOLVER that their documented functions are called with, and the
 * functions of cuSPARSE that are asked about descriptors.
 *
 * Their headers are not needed to build; where they are installed, a test compares these with them
 * (tests/e2e/libraries/vendor_sparse.cpp).
 */
#pragma once

/* cusparseFormat_t, and a number for a sparse vector. */
enum sc_sparse_format {
	SC_SPARSE_VECTOR = 0,
	SC_SPARSE_CSR = 1,
	SC_SPARSE_CSC = 2,
	SC_SPARSE_COO = 3,
	SC_SPARSE_BLOCKED_ELL = 5
};
/* cusparseIndexType_t and cusparseOrder_t */
enum sc_sparse_index { SC_INDEX_16U = 1, SC_INDEX_32I = 2, SC_INDEX_64I = 3 };
enum sc_sparse_order { SC_SPARSE_COLUMNS = 1, SC_SPARSE_ROWS = 2 };

/* cusolverEigMode_t: whether vectors are wanted … */
enum sc_solver_vectors { SC_SOLVER_WITHOUT, SC_SOLVER_VECTORS };
/* … and the letters that say how many: all, the least number, none, or in the place of a. */
#define SC_SOLVER_ALL	'A'
#define SC_SOLVER_LEAST 'S'
#define SC_SOLVER_NONE	'N'
#define SC_SOLVER_OVER	'O'

/* Parameters of questions: what a compressed format, coordinates and others consist of. */
#define SC_SPARSE_COMPRESSED                                                                      \
	(const void *of, int64_t *rows, int64_t *columns, int64_t *count, const void **offsets,   \
	 const void **indices, const void **values, int *offset_type, int *index_type, int *base, \
	 int *type)
#define SC_SPARSE_COORDINATES                                                                  \
	(const void *of, int64_t *rows, int64_t *columns, int64_t *count,                      \
	 const void **row_indices, const void **indices, const void **values, int *index_type, \
	 int *base, int *type)
#define SC_SPARSE_BLOCKS                                                                         \
	(const void *of, int64_t *rows, int64_t *columns, int64_t *block, int64_t *used_columns, \
	 const void **indices, const void **values, int *index_type, int *base, int *type)
#define SC_SPARSE_ELEMENTS                                                                         \
	(const void *of, int64_t *size, int64_t *count, const void **indices, const void **values, \
	 int *index_type, int *base, int *type)
#define SC_SPARSE_DENSE                                                                     \
	(const void *of, int64_t *rows, int64_t *columns, int64_t *ld, const void **values, \
	 int *type, int *order)

/* Q(name, parameters): all return an enum whose 0 is success. */
#define SC_SPARSE_QUESTIONS(Q)                                                                    \
	Q(cusparseGetPointerMode, (void *handle, int *mode))                                      \
	Q(cusparseSpMatGetFormat, (const void *of, int *format))                                  \
	Q(cusparseSpMatGetStridedBatch, (const void *of, int *batches))                           \
	Q(cusparseConstCsrGet, SC_SPARSE_COMPRESSED)                                              \
	Q(cusparseConstCscGet, SC_SPARSE_COMPRESSED)                                              \
	Q(cusparseConstCooGet, SC_SPARSE_COORDINATES)                                             \
	Q(cusparseConstBlockedEllGet, SC_SPARSE_BLOCKS)                                           \
	Q(cusparseConstSpVecGet, SC_SPARSE_ELEMENTS)                                              \
	Q(cusparseConstDnVecGet, (const void *of, int64_t *size, const void **values, int *type)) \
	Q(cusparseConstDnMatGet, SC_SPARSE_DENSE)                                                 \
	Q(cusparseDnMatGetStridedBatch, (const void *of, int *batches, int64_t *stride))
