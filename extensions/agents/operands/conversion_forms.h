/* Conversion forms: the parameters of cuSPARSE's conversions and of its functions on vectors in
 * operand.def, and which descriptors or arrays they are, in the manner of sparse_forms.h.
 */
#pragma once

#include "extensions/agents/operands/sparse_forms.h"

/* Conversions. */
#define EXPANDED(last)	(void *h, const void *matrix, void *x, int algorithm, last)
#define CONVERTED(last) (void *h, const void *x, void *matrix, int algorithm, last)
#define EXPAND(name)                                                                             \
	NOTED_SPARSE(name, EXPANDED(void *buffer), (h, matrix, x, algorithm, buffer),            \
		     .form = SC_SPARSE_EXPAND, .matrix = matrix, .dense_matrix = {x}, NO_SCALAR, \
		     MEMORY(SC_ROOM_EXPAND))
#define COUNT(name)                                                                             \
	NOTED_SPARSE(name, CONVERTED(void *buffer), (h, x, matrix, algorithm, buffer),          \
		     .form = SC_SPARSE_COUNT, .matrix = matrix, .dense_matrix = {x}, NO_SCALAR, \
		     MEMORY(SC_ROOM_COLLECT))
#define COLLECT(name)                                                                             \
	NOTED_SPARSE(name, CONVERTED(void *buffer), (h, x, matrix, algorithm, buffer),            \
		     .form = SC_SPARSE_COLLECT, .matrix = matrix, .dense_matrix = {x}, NO_SCALAR, \
		     MEMORY(SC_ROOM_COLLECT))
#define ROOM_EXPAND(name)                                                                         \
	NOTED_ROOM(name, EXPANDED(size_t *room), (h, matrix, x, algorithm, room), SC_ROOM_EXPAND, \
		   matrix)
#define ROOM_COLLECT(name)                                                         \
	NOTED_ROOM(name, CONVERTED(size_t *room), (h, x, matrix, algorithm, room), \
		   SC_ROOM_COLLECT, matrix)

/* Conversions between arrays. Of the values there may be none. */
#define INDICES(its_at, its_count)                                      \
	{                                                               \
		.at = its_at, .count = its_count, .type = SC_TYPE_R_32I \
	}
#define ARRAYS(its_format, offsets_of, indices_of, its_values, its_count, its_type)             \
	&(struct sc_sparse_matrix)                                                              \
	{                                                                                       \
		.format = its_format, .offsets = offsets_of, .indices = indices_of, .values = { \
			.at = its_values,                                                       \
			.count = its_count,                                                     \
			.type = its_type                                                        \
		}                                                                               \
	}
#define COMPRESSED(last)                                                                 \
	(void *h, int m, int n, int count, const void *values, const int *begins,        \
	 const int *indices, void *to_values, int *to_begins, int *to_indices, int type, \
	 int action, int base, int algorithm, last)
#define COMPRESSED_GIVEN(last)                                                                    \
	(h, m, n, count, values, begins, indices, to_values, to_begins, to_indices, type, action, \
	 base, algorithm, last)
#define CONVERT(name)                                                                           \
	NOTED_SPARSE(name, COMPRESSED(void *buffer), COMPRESSED_GIVEN(buffer),                  \
		     .form = SC_SPARSE_CONVERT, NO_SCALAR, .room = SC_ROOM_CONVERT,             \
		     .owner = begins, .buffer = buffer,                                         \
		     .from = ARRAYS(SC_SPARSE_CSR, INDICES(begins, (int64_t)m + 1),             \
				    INDICES(indices, count), values, action ? count : 0, type), \
		     .to = ARRAYS(SC_SPARSE_CSC, INDICES(to_begins, (int64_t)n + 1),            \
				  INDICES(to_indices, count), to_values, action ? count : 0,    \
				  type))
#define ROOM_CONVERT(name) \
	NOTED_ROOM(name, COMPRESSED(size_t *room), COMPRESSED_GIVEN(room), SC_ROOM_CONVERT, begins)

/* Rows of elements become offsets of rows, or the other way; nothing else is touched. */
#define PATTERN(its_format, its_at, its_count) \
	ARRAYS(its_format, INDICES(its_at, its_count), INDICES(NULL, 0), NULL, 0, SC_TYPE_R_32F)
#define COMPRESS(name)                                                                          \
	NOTED_SPARSE(name, (void *h, const int *rows, int count, int m, int *begins, int base), \
		     (h, rows, count, m, begins, base), .form = SC_SPARSE_CONVERT, NO_SCALAR,   \
		     .from = PATTERN(SC_SPARSE_COO, rows, count),                               \
		     .to = PATTERN(SC_SPARSE_CSR, begins, (int64_t)m + 1))
#define UNCOMPRESS(name)                                                                        \
	NOTED_SPARSE(name, (void *h, const int *begins, int count, int m, int *rows, int base), \
		     (h, begins, count, m, rows, base), .form = SC_SPARSE_CONVERT, NO_SCALAR,   \
		     .from = PATTERN(SC_SPARSE_CSR, begins, (int64_t)m + 1),                    \
		     .to = PATTERN(SC_SPARSE_COO, rows, count))

/* Vectors. */
#define ADD(name)                                                                                  \
	NOTED_SPARSE(name, (void *h, const void *alpha, const void *x, const void *beta, void *y), \
		     (h, alpha, x, beta, y), .form = SC_SPARSE_ADD, .vector = x,                   \
		     .dense_vector = {NULL, y}, .alpha = alpha, .beta = beta, .has_alpha = true,   \
		     .has_beta = true, NO_SCALAR)
#define GATHER(name)                                                                               \
	NOTED_SPARSE(name, (void *h, const void *y, void *x), (h, y, x), .form = SC_SPARSE_GATHER, \
		     .vector = x, .dense_vector = {y}, NO_SCALAR)
#define SCATTER(name)                                                    \
	NOTED_SPARSE(name, (void *h, const void *x, void *y), (h, x, y), \
		     .form = SC_SPARSE_SCATTER, .vector = x, .dense_vector = {NULL, y}, NO_SCALAR)
#define DOT(name)                                                                         \
	NOTED_SPARSE(name,                                                                \
		     (void *h, int operation, const void *x, const void *y, void *result, \
		      int type, void *buffer),                                            \
		     (h, operation, x, y, result, type, buffer), .form = SC_SPARSE_DOT,   \
		     .vector = x, .dense_vector = {y}, .result = result, .scalar = type,  \
		     .room = SC_ROOM_DOT, .owner = x, .buffer = buffer)
#define ROOM_DOT(name)                                                                        \
	NOTED_ROOM(name,                                                                      \
		   (void *h, int operation, const void *x, const void *y, const void *result, \
		    int type, size_t *room),                                                  \
		   (h, operation, x, y, result, type, room), SC_ROOM_DOT, x)
