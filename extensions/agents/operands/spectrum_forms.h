/* Spectrum forms: the parameters of cuSOLVER's functions for eigenvalues and singular values in
 * operand.def, and which operands they are, in the manner of solver_forms.h.
 */
#pragma once

#include "extensions/agents/operands/solver_forms.h"

#define EIGEN_FIELDS(T, R) \
	.form = SC_SOLVER_EIGEN, .vectors = vectors, .n = n, AT(a, a, T, lda), VALUES(w, R)
#define EIGEN(name, T, R)                                                                    \
	NOTED_SOLVER(name,                                                                   \
		     (void *h, int vectors, int part, int n, void *a, int lda, void *w,      \
		      void *work, int room, int *info),                                      \
		     (h, vectors, part, n, a, lda, w, work, room, info), EIGEN_FIELDS(T, R), \
		     SCRATCH(T))
#define EIGEN_JACOBI(name, T, R)                                                        \
	NOTED_SOLVER(name,                                                              \
		     (void *h, int vectors, int part, int n, void *a, int lda, void *w, \
		      void *work, int room, int *info, void *settings),                 \
		     (h, vectors, part, n, a, lda, w, work, room, info, settings),      \
		     EIGEN_FIELDS(T, R), SCRATCH(T))
/* Matrices and their values follow each other without a gap. */
#define EIGEN_BATCHED(name, T, R)                                                             \
	NOTED_SOLVER(name,                                                                    \
		     (void *h, int vectors, int part, int n, void *a, int lda, void *w,       \
		      void *work, int room, int *info, void *settings, int batches),          \
		     (h, vectors, part, n, a, lda, w, work, room, info, settings, batches),   \
		     .form = SC_SOLVER_EIGEN, .vectors = vectors, .n = n, .batches = batches, \
		     .a = {.at = a, .type = T, .ld = lda, .stride = (int64_t)lda * n},        \
		     .values = {.at = w, .type = R, .stride = n}, SCRATCH(T))

#define SVD_FIELDS(T, R)                                                           \
	.form = SC_SOLVER_SVD, .m = m, .n = n, AT(a, a, T, lda), AT(u, u, T, ldu), \
	AT(v, v, T, ldv), VALUES(s, R)
#define SVD(name, T, R)                                                                          \
	NOTED_SOLVER(                                                                            \
		name,                                                                            \
		(void *h, signed char left, signed char right, int m, int n, void *a, int lda,   \
		 void *s, void *u, int ldu, void *v, int ldv, void *work, int room, void *more,  \
		 int *info),                                                                     \
		(h, left, right, m, n, a, lda, s, u, ldu, v, ldv, work, room, more, info),       \
		SVD_FIELDS(T, R), .left = left, .right = right, .v_is_transposed = true,         \
		.more = {.at = more, .bytes = (int64_t)(m < n ? m : n) * sc_operand_element(R)}, \
		SCRATCH(T))
#define BOTH_SIDES(vectors, economic) \
	.left = sc_solver_letter(vectors, economic), .right = sc_solver_letter(vectors, economic)
#define SVD_JACOBI(name, T, R)                                                                     \
	NOTED_SOLVER(name,                                                                         \
		     (void *h, int vectors, int economic, int m, int n, void *a, int lda, void *s, \
		      void *u, int ldu, void *v, int ldv, void *work, int room, int *info,         \
		      void *settings),                                                             \
		     (h, vectors, economic, m, n, a, lda, s, u, ldu, v, ldv, work, room, info,     \
		      settings),                                                                   \
		     SVD_FIELDS(T, R), BOTH_SIDES(vectors, economic), SCRATCH(T))
#define SVD_BATCHED(name, T, R)                                                                   \
	NOTED_SOLVER(name,                                                                        \
		     (void *h, int vectors, int m, int n, void *a, int lda, void *s, void *u,     \
		      int ldu, void *v, int ldv, void *work, int room, int *info, void *settings, \
		      int batches),                                                               \
		     (h, vectors, m, n, a, lda, s, u, ldu, v, ldv, work, room, info, settings,    \
		      batches),                                                                   \
		     .form = SC_SOLVER_SVD, .m = m, .n = n, .batches = batches,                   \
		     .a = {.at = a, .type = T, .ld = lda, .stride = (int64_t)lda * n},            \
		     .u = {.at = u, .type = T, .ld = ldu, .stride = (int64_t)ldu * m},            \
		     .v = {.at = v, .type = T, .ld = ldv, .stride = (int64_t)ldv * n},            \
		     .values = {.at = s, .type = R, .stride = m < n ? m : n},                     \
		     BOTH_SIDES(vectors, 0), SCRATCH(T))
/* The first `rank` values and vectors. */
#define SVD_STRIDED(name, T, R)                                                                 \
	NOTED_SOLVER(                                                                           \
		name,                                                                           \
		(void *h, int vectors, int rank, int m, int n, const void *a, int lda,          \
		 long long sa, void *s, long long ss, void *u, int ldu, long long su, void *v,  \
		 int ldv, long long sv, void *work, int room, int *info, double *norms,         \
		 int batches),                                                                  \
		(h, vectors, rank, m, n, a, lda, sa, s, ss, u, ldu, su, v, ldv, sv, work, room, \
		 info, norms, batches),                                                         \
		.form = SC_SOLVER_SVD, .m = m, .n = n, .batches = batches, .value_count = rank, \
		.a_is_kept = true, .a = {.at = a, .type = T, .ld = lda, .stride = sa},          \
		.u = {.at = u, .type = T, .ld = ldu, .stride = su},                             \
		.v = {.at = v, .type = T, .ld = ldv, .stride = sv},                             \
		.values = {.at = s, .type = R, .stride = ss}, BOTH_SIDES(vectors, 1), SCRATCH(T))

/* With types as parameters. */
#define X_EIGEN(name, T, R)                                                                       \
	NOTED_SOLVER(name,                                                                        \
		     (void *h, void *settings, int vectors, int part, int64_t n, int at, void *a, \
		      int64_t lda, int wt, void *w, int compute, void *work, size_t bytes,        \
		      void *host, size_t host_bytes, int *info),                                  \
		     (h, settings, vectors, part, n, at, a, lda, wt, w, compute, work, bytes,     \
		      host, host_bytes, info),                                                    \
		     EIGEN_FIELDS(at, wt), X_SCRATCH)
#define X_EIGEN_BATCHED(name, T, R)                                                               \
	NOTED_SOLVER(name,                                                                        \
		     (void *h, void *settings, int vectors, int part, int64_t n, int at, void *a, \
		      int64_t lda, int wt, void *w, int compute, void *work, size_t bytes,        \
		      void *host, size_t host_bytes, int *info, int64_t batches),                 \
		     (h, settings, vectors, part, n, at, a, lda, wt, w, compute, work, bytes,     \
		      host, host_bytes, info, batches),                                           \
		     .form = SC_SOLVER_EIGEN, .vectors = vectors, .n = n, .batches = batches,     \
		     .a = {.at = a, .type = at, .ld = lda, .stride = sc_solver_area(lda, n)},     \
		     .values = {.at = w, .type = wt, .stride = n}, X_SCRATCH)
#define X_GENERAL_EIGEN(name, T, R)                                                                \
	NOTED_SOLVER(name,                                                                         \
		     (void *h, void *settings, int left, int right, int64_t n, int at, void *a,    \
		      int64_t lda, int wt, void *w, int ut, void *u, int64_t ldu, int vt, void *v, \
		      int64_t ldv, int compute, void *work, size_t bytes, void *host,              \
		      size_t host_bytes, int *info),                                               \
		     (h, settings, left, right, n, at, a, lda, wt, w, ut, u, ldu, vt, v, ldv,      \
		      compute, work, bytes, host, host_bytes, info),                               \
		     .form = SC_SOLVER_GENERAL_EIGEN, .n = n, .left = left, .right = right,        \
		     AT(a, a, at, lda), AT(u, u, ut, ldu), AT(v, v, vt, ldv), VALUES(w, wt),       \
		     X_SCRATCH)
#define X_SVD_FIELDS                                                                 \
	.form = SC_SOLVER_SVD, .m = m, .n = n, AT(a, a, at, lda), AT(u, u, ut, ldu), \
	AT(v, v, vt, ldv), VALUES(s, st)
#define X_SVD(name, T, R)                                                                        \
	NOTED_SOLVER(name,                                                                       \
		     (void *h, void *settings, signed char left, signed char right, int64_t m,   \
		      int64_t n, int at, void *a, int64_t lda, int st, void *s, int ut, void *u, \
		      int64_t ldu, int vt, void *v, int64_t ldv, int compute, void *work,        \
		      size_t bytes, void *host, size_t host_bytes, int *info),                   \
		     (h, settings, left, right, m, n, at, a, lda, st, s, ut, u, ldu, vt, v, ldv, \
		      compute, work, bytes, host, host_bytes, info),                             \
		     X_SVD_FIELDS, .left = left, .right = right, .v_is_transposed = true,        \
		     X_SCRATCH)
#define X_SVD_POLAR(name, T, R)                                                                    \
	NOTED_SOLVER(name,                                                                         \
		     (void *h, void *settings, int vectors, int economic, int64_t m, int64_t n,    \
		      int at, void *a, int64_t lda, int st, void *s, int ut, void *u, int64_t ldu, \
		      int vt, void *v, int64_t ldv, int compute, void *work, size_t bytes,         \
		      void *host, size_t host_bytes, int *info, double *error),                    \
		     (h, settings, vectors, economic, m, n, at, a, lda, st, s, ut, u, ldu, vt, v,  \
		      ldv, compute, work, bytes, host, host_bytes, info, error),                   \
		     X_SVD_FIELDS, BOTH_SIDES(vectors, economic), X_SCRATCH)
