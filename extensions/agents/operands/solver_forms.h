/* Solver forms: the parameters of cuSOLVER's factorizations in operand.def, and of what solves with
 * them, and which operands they are. spectrum_forms.h has the others.
 *
 * Who includes this defines NOTED_SOLVER(name, parameters, arguments, fields of struct sc_solver).
 * T and R are the types of elements and of real numbers; those that begin with X get types as
 * parameters, and all their sizes in 64 bits.
 */
#pragma once

#define AT(id, its_at, its_type, step) .id = {.at = its_at, .type = its_type, .ld = step}
#define VALUES(its_at, its_type)       .values = {.at = its_at, .type = its_type}
#define SCRATCH(T)                                                                        \
	.scratch = {.at = work, .bytes = (int64_t)room * (int64_t)sc_operand_element(T)}, \
	.info = info
#define X_SCRATCH .scratch = {.at = work, .bytes = (int64_t)bytes}, .info = info

/* The function does not get the size of its scratch memory: it is asked for. */
#define LU(name, T, R)                                                                         \
	NOTED_SOLVER(                                                                          \
		name,                                                                          \
		(void *h, int m, int n, void *a, int lda, void *work, int *pivots, int *info), \
		(h, m, n, a, lda, work, pivots, info), .form = SC_SOLVER_LU, .m = m, .n = n,   \
		AT(a, a, T, lda), VALUES(pivots, SC_TYPE_R_32I),                               \
		.scratch = {.at = work, .bytes = -1}, .info = info)
#define LU_SOLVE(name, T, R)                                                        \
	NOTED_SOLVER(name,                                                          \
		     (void *h, int operation, int n, int k, const void *a, int lda, \
		      const int *pivots, void *b, int ldb, int *info),              \
		     (h, operation, n, k, a, lda, pivots, b, ldb, info),            \
		     .form = SC_SOLVER_LU_SOLVE, .n = n, .k = k, AT(a, a, T, lda),  \
		     AT(b, b, T, ldb), VALUES(pivots, SC_TYPE_R_32I), .info = info)
#define CHOLESKY(name, T, R)                                                                   \
	NOTED_SOLVER(                                                                          \
		name,                                                                          \
		(void *h, int part, int n, void *a, int lda, void *work, int room, int *info), \
		(h, part, n, a, lda, work, room, info), .form = SC_SOLVER_CHOLESKY, .n = n,    \
		AT(a, a, T, lda), SCRATCH(T))
#define CHOLESKY_SOLVE(name, T, R)                                                               \
	NOTED_SOLVER(name,                                                                       \
		     (void *h, int part, int n, int k, const void *a, int lda, void *b, int ldb, \
		      int *info),                                                                \
		     (h, part, n, k, a, lda, b, ldb, info), .form = SC_SOLVER_CHOLESKY_SOLVE,    \
		     .n = n, .k = k, AT(a, a, T, lda), AT(b, b, T, ldb), .info = info)
#define SYMMETRIC(name, T, R)                                                                     \
	NOTED_SOLVER(name,                                                                        \
		     (void *h, int part, int n, void *a, int lda, int *pivots, void *work,        \
		      int room, int *info),                                                       \
		     (h, part, n, a, lda, pivots, work, room, info), .form = SC_SOLVER_SYMMETRIC, \
		     .n = n, AT(a, a, T, lda), VALUES(pivots, SC_TYPE_R_32I), SCRATCH(T))
#define QR(name, T, R)                                                                          \
	NOTED_SOLVER(name,                                                                      \
		     (void *h, int m, int n, void *a, int lda, void *tau, void *work, int room, \
		      int *info),                                                               \
		     (h, m, n, a, lda, tau, work, room, info), .form = SC_SOLVER_QR, .m = m,    \
		     .n = n, AT(a, a, T, lda), VALUES(tau, T), SCRATCH(T))
#define QR_MAKE(name, T, R)                                                                        \
	NOTED_SOLVER(name,                                                                         \
		     (void *h, int m, int n, int k, void *a, int lda, const void *tau, void *work, \
		      int room, int *info),                                                        \
		     (h, m, n, k, a, lda, tau, work, room, info), .form = SC_SOLVER_QR_MAKE,       \
		     .m = m, .n = n, .k = k, AT(a, a, T, lda), VALUES(tau, T), SCRATCH(T))
#define QR_APPLY(name, T, R)                                                                \
	NOTED_SOLVER(name,                                                                  \
		     (void *h, int side, int operation, int m, int n, int k, const void *a, \
		      int lda, const void *tau, void *b, int ldb, void *work, int room,     \
		      int *info),                                                           \
		     (h, side, operation, m, n, k, a, lda, tau, b, ldb, work, room, info),  \
		     .form = SC_SOLVER_QR_APPLY, .side = side, .m = m, .n = n, .k = k,      \
		     AT(a, a, T, lda), AT(b, b, T, ldb), VALUES(tau, T), SCRATCH(T))

/* With types as parameters. */
#define X_LU(name, T, R)                                                                           \
	NOTED_SOLVER(name,                                                                         \
		     (void *h, void *settings, int64_t m, int64_t n, int at, void *a, int64_t lda, \
		      int64_t *pivots, int compute, void *work, size_t bytes, void *host,          \
		      size_t host_bytes, int *info),                                               \
		     (h, settings, m, n, at, a, lda, pivots, compute, work, bytes, host,           \
		      host_bytes, info),                                                           \
		     .form = SC_SOLVER_LU, .m = m, .n = n, AT(a, a, at, lda),                      \
		     VALUES(pivots, SC_TYPE_R_64I), X_SCRATCH)
#define X_LU_SOLVE(name, T, R)                                                              \
	NOTED_SOLVER(name,                                                                  \
		     (void *h, void *settings, int operation, int64_t n, int64_t k, int at, \
		      const void *a, int64_t lda, const int64_t *pivots, int bt, void *b,   \
		      int64_t ldb, int *info),                                              \
		     (h, settings, operation, n, k, at, a, lda, pivots, bt, b, ldb, info),  \
		     .form = SC_SOLVER_LU_SOLVE, .n = n, .k = k, AT(a, a, at, lda),         \
		     AT(b, b, bt, ldb), VALUES(pivots, SC_TYPE_R_64I), .info = info)
#define X_CHOLESKY(name, T, R)                                                                     \
	NOTED_SOLVER(                                                                              \
		name,                                                                              \
		(void *h, void *settings, int part, int64_t n, int at, void *a, int64_t lda,       \
		 int compute, void *work, size_t bytes, void *host, size_t host_bytes, int *info), \
		(h, settings, part, n, at, a, lda, compute, work, bytes, host, host_bytes, info),  \
		.form = SC_SOLVER_CHOLESKY, .n = n, AT(a, a, at, lda), X_SCRATCH)
#define X_CHOLESKY_SOLVE(name, T, R)                                                        \
	NOTED_SOLVER(name,                                                                  \
		     (void *h, void *settings, int part, int64_t n, int64_t k, int at,      \
		      const void *a, int64_t lda, int bt, void *b, int64_t ldb, int *info), \
		     (h, settings, part, n, k, at, a, lda, bt, b, ldb, info),               \
		     .form = SC_SOLVER_CHOLESKY_SOLVE, .n = n, .k = k, AT(a, a, at, lda),   \
		     AT(b, b, bt, ldb), .info = info)
#define X_SYMMETRIC_SOLVE(name, T, R)                                                              \
	NOTED_SOLVER(name,                                                                         \
		     (void *h, int part, int64_t n, int64_t k, int at, const void *a, int64_t lda, \
		      const int64_t *pivots, int bt, void *b, int64_t ldb, void *work,             \
		      size_t bytes, void *host, size_t host_bytes, int *info),                     \
		     (h, part, n, k, at, a, lda, pivots, bt, b, ldb, work, bytes, host,            \
		      host_bytes, info),                                                           \
		     .form = SC_SOLVER_SYMMETRIC_SOLVE, .n = n, .k = k, AT(a, a, at, lda),         \
		     AT(b, b, bt, ldb), VALUES(pivots, SC_TYPE_R_64I), X_SCRATCH)
#define X_QR(name, T, R)                                                                           \
	NOTED_SOLVER(name,                                                                         \
		     (void *h, void *settings, int64_t m, int64_t n, int at, void *a, int64_t lda, \
		      int tt, void *tau, int compute, void *work, size_t bytes, void *host,        \
		      size_t host_bytes, int *info),                                               \
		     (h, settings, m, n, at, a, lda, tt, tau, compute, work, bytes, host,          \
		      host_bytes, info),                                                           \
		     .form = SC_SOLVER_QR, .m = m, .n = n, AT(a, a, at, lda), VALUES(tau, tt),     \
		     X_SCRATCH)
