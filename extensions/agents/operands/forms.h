/* Forms: the parameters of cuBLAS's functions in operand.def, and which operands they are.
 *
 * Who includes this defines NOTED_BLAS(name, parameters, arguments, fields of struct sc_blas).
 */
#pragma once

#define OPERAND(id, its_type, step, distance) \
	.id = {.at = id, .type = its_type, .ld = step, .stride = distance}
#define SCALARS .alpha = alpha, .beta = beta
#define PRODUCT .form = SC_BLAS_GEMM, .operation = {ta, tb}, .m = m, .n = n, .k = k, SCALARS

/* Parameters of the forms: N is the type of sizes, T and S are the types of elements and scalars.
 */
#define GEMM(name, N, T, S)                                                                   \
	NOTED_BLAS(name,                                                                      \
		   (void *h, int ta, int tb, N m, N n, N k, const void *alpha, const void *a, \
		    N lda, const void *b, N ldb, const void *beta, void *c, N ldc),           \
		   (h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc), PRODUCT,        \
		   OPERAND(a, T, lda, 0), OPERAND(b, T, ldb, 0), OPERAND(c, T, ldc, 0),       \
		   .scalar = S)
#define GEMM_STRIDED(name, N, T, S)                                                                \
	NOTED_BLAS(name,                                                                           \
		   (void *h, int ta, int tb, N m, N n, N k, const void *alpha, const void *a,      \
		    N lda, long long sa, const void *b, N ldb, long long sb, const void *beta,     \
		    void *c, N ldc, long long sc, N batches),                                      \
		   (h, ta, tb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc, batches), \
		   PRODUCT, OPERAND(a, T, lda, sa), OPERAND(b, T, ldb, sb),                        \
		   OPERAND(c, T, ldc, sc), .batches = batches, .scalar = S)
#define GEMM_TYPED(name, N, T, S)                                                                  \
	NOTED_BLAS(name,                                                                           \
		   (void *h, int ta, int tb, N m, N n, N k, const void *alpha, const void *a,      \
		    int at, N lda, const void *b, int bt, N ldb, const void *beta, void *c,        \
		    int ct, N ldc),                                                                \
		   (h, ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc), PRODUCT, \
		   OPERAND(a, at, lda, 0), OPERAND(b, bt, ldb, 0), OPERAND(c, ct, ldc, 0),         \
		   .scalar = S)
#define GEMM_EX(name, N, T, S)                                                                    \
	NOTED_BLAS(name,                                                                          \
		   (void *h, int ta, int tb, N m, N n, N k, const void *alpha, const void *a,     \
		    int at, N lda, const void *b, int bt, N ldb, const void *beta, void *c,       \
		    int ct, N ldc, int compute, int algorithm),                                   \
		   (h, ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc, compute, \
		    algorithm),                                                                   \
		   PRODUCT, OPERAND(a, at, lda, 0), OPERAND(b, bt, ldb, 0),                       \
		   OPERAND(c, ct, ldc, 0), .scalar = sc_operand_scalar_type(compute, ct))
#define GEMM_STRIDED_EX(name, N, T, S)                                                           \
	NOTED_BLAS(name,                                                                         \
		   (void *h, int ta, int tb, N m, N n, N k, const void *alpha, const void *a,    \
		    int at, N lda, long long sa, const void *b, int bt, N ldb, long long sb,     \
		    const void *beta, void *c, int ct, N ldc, long long sc, N batches,           \
		    int compute, int algorithm),                                                 \
		   (h, ta, tb, m, n, k, alpha, a, at, lda, sa, b, bt, ldb, sb, beta, c, ct, ldc, \
		    sc, batches, compute, algorithm),                                            \
		   PRODUCT, OPERAND(a, at, lda, sa), OPERAND(b, bt, ldb, sb),                    \
		   OPERAND(c, ct, ldc, sc), .batches = batches,                                  \
		   .scalar = sc_operand_scalar_type(compute, ct))
#define GEMV(name, N, T, S)                                                                  \
	NOTED_BLAS(name,                                                                     \
		   (void *h, int ta, N m, N n, const void *alpha, const void *a, N lda,      \
		    const void *b, N ldb, const void *beta, void *c, N ldc),                 \
		   (h, ta, m, n, alpha, a, lda, b, ldb, beta, c, ldc), .form = SC_BLAS_GEMV, \
		   .operation = {ta}, .m = m, .n = n, SCALARS, OPERAND(a, T, lda, 0),        \
		   OPERAND(b, T, ldb, 0), OPERAND(c, T, ldc, 0), .scalar = S)
#define GER(name, N, T, S)                                                                        \
	NOTED_BLAS(name,                                                                          \
		   (void *h, N m, N n, const void *alpha, const void *a, N lda, const void *b,    \
		    N ldb, void *c, N ldc),                                                       \
		   (h, m, n, alpha, a, lda, b, ldb, c, ldc), .form = SC_BLAS_GER, .m = m, .n = n, \
		   .alpha = alpha, OPERAND(a, T, lda, 0), OPERAND(b, T, ldb, 0),                  \
		   OPERAND(c, T, ldc, 0), .scalar = S)
#define AXPY(name, N, T, S)                                                                       \
	NOTED_BLAS(name, (void *h, N n, const void *alpha, const void *a, N lda, void *c, N ldc), \
		   (h, n, alpha, a, lda, c, ldc), .form = SC_BLAS_AXPY, .n = n, .alpha = alpha,   \
		   OPERAND(a, T, lda, 0), OPERAND(c, T, ldc, 0), .scalar = S)
#define SCAL(name, N, T, S)                                                                        \
	NOTED_BLAS(name, (void *h, N n, const void *alpha, void *c, N ldc), (h, n, alpha, c, ldc), \
		   .form = SC_BLAS_SCAL, .n = n, .alpha = alpha, OPERAND(c, T, ldc, 0),            \
		   .scalar = S)
#define COPY(name, N, T, S)                                                                     \
	NOTED_BLAS(name, (void *h, N n, const void *a, N lda, void *c, N ldc),                  \
		   (h, n, a, lda, c, ldc), .form = SC_BLAS_COPY, .n = n, OPERAND(a, T, lda, 0), \
		   OPERAND(c, T, ldc, 0), .scalar = S)
#define DOT(name, N, T, S)                                                                         \
	NOTED_BLAS(name, (void *h, N n, const void *a, N lda, const void *b, N ldb, void *result), \
		   (h, n, a, lda, b, ldb, result), .form = SC_BLAS_DOT, .n = n,                    \
		   OPERAND(a, T, lda, 0), OPERAND(b, T, ldb, 0), .result = result, .scalar = S)
#define NORM(name, N, T, S)                                                                     \
	NOTED_BLAS(name, (void *h, N n, const void *a, N lda, void *result),                    \
		   (h, n, a, lda, result), .form = SC_BLAS_NORM, .n = n, OPERAND(a, T, lda, 0), \
		   .result = result, .scalar = S)
#define TRSM(name, N, T, S)                                                            \
	NOTED_BLAS(name,                                                               \
		   (void *h, int side, int part, int ta, int diagonal, N m, N n,       \
		    const void *alpha, const void *a, N lda, void *c, N ldc),          \
		   (h, side, part, ta, diagonal, m, n, alpha, a, lda, c, ldc),         \
		   .form = SC_BLAS_TRSM, .side = side, .m = m, .n = n, .alpha = alpha, \
		   OPERAND(a, T, lda, 0), OPERAND(c, T, ldc, 0), .scalar = S)
