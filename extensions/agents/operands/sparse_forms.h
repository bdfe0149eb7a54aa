/* Sparse forms: the parameters of cuSPARSE's products and solvers in operand.def, and which
 * descriptors they are. conversion_forms.h has the others.
 *
 * Who includes this defines NOTED_SPARSE(name, parameters, arguments, fields of struct
 * sc_sparse_call), PREPARING_SPARSE, which is the same of a function after which the library may
 * have a pattern elsewhere, and NOTED_ROOM(name, parameters, arguments, enum sc_sparse_room, owner)
 * for the functions that answer with a number of bytes, *room.
 */
#pragma once

#define SCALED	       .has_alpha = true, .has_beta = true, .scalar = type
#define FACTORS	       .alpha = alpha, .beta = beta, SCALED
#define MEMORY(its_of) .room = its_of, .owner = matrix, .buffer = buffer
#define NO_SCALAR      .scalar = SC_TYPE_UNKNOWN

/* Products with a vector and with a matrix. `last` is the memory, or where its size goes. */
#define VECTOR_PRODUCT(last)                                                           \
	(void *h, int operation, const void *alpha, const void *matrix, const void *x, \
	 const void *beta, void *y, int type, int algorithm, last)
#define VECTOR_PRODUCT_GIVEN(last) (h, operation, alpha, matrix, x, beta, y, type, algorithm, last)
#define MATRIX_PRODUCT(last)                                                                      \
	(void *h, int operation, int other, const void *alpha, const void *matrix, const void *x, \
	 const void *beta, void *y, int type, int algorithm, last)
#define MATRIX_PRODUCT_GIVEN(last) \
	(h, operation, other, alpha, matrix, x, beta, y, type, algorithm, last)
#define OF_VECTORS .dense_vector = {x, y}
#define OF_DENSE   .dense_matrix = {x, y}

#define PRODUCT_VECTOR(name)                                                               \
	NOTED_SPARSE(name, VECTOR_PRODUCT(void *buffer), VECTOR_PRODUCT_GIVEN(buffer),     \
		     .form = SC_SPARSE_MULTIPLY, .matrix = matrix, .operation = operation, \
		     OF_VECTORS, FACTORS, MEMORY(SC_ROOM_PRODUCT_VECTOR))
#define PRODUCT_MATRIX(name)                                                               \
	NOTED_SPARSE(name, MATRIX_PRODUCT(void *buffer), MATRIX_PRODUCT_GIVEN(buffer),     \
		     .form = SC_SPARSE_MULTIPLY, .matrix = matrix, .operation = operation, \
		     OF_DENSE, FACTORS, MEMORY(SC_ROOM_PRODUCT_MATRIX))
#define PREPARE_VECTOR(name)                                                               \
	PREPARING_SPARSE(name, VECTOR_PRODUCT(void *buffer), VECTOR_PRODUCT_GIVEN(buffer), \
			 .form = SC_SPARSE_PREPARE, .matrix = matrix, NO_SCALAR,           \
			 MEMORY(SC_ROOM_PRODUCT_VECTOR))
#define PREPARE_MATRIX(name)                                                               \
	PREPARING_SPARSE(name, MATRIX_PRODUCT(void *buffer), MATRIX_PRODUCT_GIVEN(buffer), \
			 .form = SC_SPARSE_PREPARE, .matrix = matrix, NO_SCALAR,           \
			 MEMORY(SC_ROOM_PRODUCT_MATRIX))
#define ROOM_PRODUCT_VECTOR(name)                                                  \
	NOTED_ROOM(name, VECTOR_PRODUCT(size_t *room), VECTOR_PRODUCT_GIVEN(room), \
		   SC_ROOM_PRODUCT_VECTOR, matrix)
#define ROOM_PRODUCT_MATRIX(name)                                                  \
	NOTED_ROOM(name, MATRIX_PRODUCT(size_t *room), MATRIX_PRODUCT_GIVEN(room), \
		   SC_ROOM_PRODUCT_MATRIX, matrix)

/* A product of two dense matrices where a sparse one has elements. */
#define SAMPLED(last)                                                                        \
	(void *h, int operation, int other, const void *alpha, const void *x, const void *y, \
	 const void *beta, void *matrix, int type, int algorithm, last)
#define SAMPLED_GIVEN(last) (h, operation, other, alpha, x, y, beta, matrix, type, algorithm, last)

#define SAMPLE(name)                                                                               \
	NOTED_SPARSE(name, SAMPLED(void *buffer), SAMPLED_GIVEN(buffer), .form = SC_SPARSE_SAMPLE, \
		     .matrix = matrix, OF_DENSE, FACTORS, MEMORY(SC_ROOM_SAMPLE))
#define PREPARE_SAMPLE(name)                                                     \
	PREPARING_SPARSE(name, SAMPLED(void *buffer), SAMPLED_GIVEN(buffer),     \
			 .form = SC_SPARSE_PREPARE, .matrix = matrix, NO_SCALAR, \
			 MEMORY(SC_ROOM_SAMPLE))
#define ROOM_SAMPLE(name) \
	NOTED_ROOM(name, SAMPLED(size_t *room), SAMPLED_GIVEN(room), SC_ROOM_SAMPLE, matrix)

/* Systems of equations: an analysis gets memory, which solving uses. */
#define SOLVED_VECTOR                                                                          \
	void *h, int operation, const void *alpha, const void *matrix, const void *x, void *y, \
		int type, int algorithm, void *solver
#define SOLVED_VECTOR_GIVEN h, operation, alpha, matrix, x, y, type, algorithm, solver
#define SOLVED_MATRIX                                                                            \
	void *h, int operation, int other, const void *alpha, const void *matrix, const void *x, \
		void *y, int type, int algorithm, void *solver
#define SOLVED_MATRIX_GIVEN h, operation, other, alpha, matrix, x, y, type, algorithm, solver
#define ANALYZED(of)                                                                         \
	.form = SC_SPARSE_PREPARE, .matrix = matrix, NO_SCALAR, .room = of, .owner = solver, \
	.buffer = buffer, .keeps_buffer = true
#define SOLVED(of)                                                                         \
	.form = SC_SPARSE_SOLVE, .matrix = matrix, .operation = operation, .alpha = alpha, \
	.has_alpha = true, .scalar = type, .room = of, .owner = solver, .has_kept = true

#define ANALYZE_VECTOR(name)                                                             \
	NOTED_SPARSE(name, (SOLVED_VECTOR, void *buffer), (SOLVED_VECTOR_GIVEN, buffer), \
		     ANALYZED(SC_ROOM_SOLVE_VECTOR))
#define ANALYZE_MATRIX(name)                                                             \
	NOTED_SPARSE(name, (SOLVED_MATRIX, void *buffer), (SOLVED_MATRIX_GIVEN, buffer), \
		     ANALYZED(SC_ROOM_SOLVE_MATRIX))
#define SOLVE_VECTOR(name)                                                     \
	NOTED_SPARSE(name, (SOLVED_VECTOR), (SOLVED_VECTOR_GIVEN), OF_VECTORS, \
		     SOLVED(SC_ROOM_SOLVE_VECTOR))
#define SOLVE_MATRIX(name)                                                   \
	NOTED_SPARSE(name, (SOLVED_MATRIX), (SOLVED_MATRIX_GIVEN), OF_DENSE, \
		     SOLVED(SC_ROOM_SOLVE_MATRIX))
#define ROOM_SOLVE_VECTOR(name)                                                       \
	NOTED_ROOM(name, (SOLVED_VECTOR, size_t * room), (SOLVED_VECTOR_GIVEN, room), \
		   SC_ROOM_SOLVE_VECTOR, solver)
#define ROOM_SOLVE_MATRIX(name)                                                       \
	NOTED_ROOM(name, (SOLVED_MATRIX, size_t * room), (SOLVED_MATRIX_GIVEN, room), \
		   SC_ROOM_SOLVE_MATRIX, solver)
