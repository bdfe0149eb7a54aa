/* BLAS: calls of cuBLAS as products (operand.h).
 *
 * A wrapper fills in struct sc_blas with the parameters of its call; the form says which of the
 * fields mean something. Values of alpha and beta are read only where they are in host memory.
 */
#pragma once

#include "interposer/library/enqueues.h"
#include "extensions/agents/operands/operand.h"

enum sc_blas_form {
	SC_BLAS_GEMM, /* c = alpha * op(a) op(b) + beta * c */
	SC_BLAS_GEMV, /* c = alpha * op(a) b + beta * c */
	SC_BLAS_GER,  /* c = alpha * a b' + c */
	SC_BLAS_AXPY, /* c = alpha * a + c */
	SC_BLAS_SCAL, /* c = alpha * c */
	SC_BLAS_COPY, /* c = a */
	SC_BLAS_DOT,  /* result = a' b */
	SC_BLAS_NORM, /* result = a norm of a */
	SC_BLAS_TRSM  /* c = alpha * op(a)^-1 c, or c op(a)^-1 */
};

struct sc_blas_operand {
	const void *at;
	int type;
	int64_t ld; /* of a vector: the step between its elements */
	int64_t stride;
};

struct sc_blas {
	enum sc_blas_form form;
	int side, operation[2]; /* of a and b */
	int64_t m, n, k, batches;
	struct sc_blas_operand a, b, c;
	const void *alpha, *beta;
	void *result; /* of DOT and NORM */
	int scalar;   /* type of alpha, beta and the result */
};

/* What the values of alpha and beta are, and where results go. */
struct sc_blas_scalars {
	enum sc_scalar alpha, beta;
	bool are_host;
};

/* The call as a product. */
void sc_blas_describe(const struct sc_blas *call, const struct sc_blas_scalars *scalars,
		      struct sc_product *out);
/* A function of a library was called and returned success: writes what it touched. `real` is the
 * function, `handle` its handle. Keeps errno. */
void sc_blas_note(const struct sc_enqueues *e, struct sc_library_function *function, void *real,
		  void *handle, const struct sc_blas *call);
/* What a scalar in the host's memory is; NULL counts as 0. */
enum sc_scalar sc_blas_read_scalar(int type, const void *at);
/* Writes what a product touched. */
void sc_product_note(const struct sc_enqueues *e, struct sc_library_function *function,
		     const struct sc_product *p);
/* The same of a list, unless something in it is unknown. */
void sc_operand_list_note(const struct sc_enqueues *e, struct sc_library_function *function,
			  struct sc_operand_list *list);
