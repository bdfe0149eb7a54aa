/* Solvers: the bytes that cuSOLVER's functions on dense matrices read and write, as the manual
 * describes their parameters.
 *
 * A wrapper fills in struct sc_solver with the parameters of its call; the form says which of the
 * fields mean something. What a factorization certainly does is read its matrix, or of a triangle
 * its first element; which of its elements it changes depends on their values. Nothing here looks
 * at memory or asks a library.
 */
#pragma once

#include "extensions/agents/operands/blas.h"
#include "extensions/agents/operands/operand.h"
#include "extensions/agents/operands/vendor_sparse.h"

enum sc_solver_form {
	SC_SOLVER_LU,		   /* a becomes its factors, values are pivots */
	SC_SOLVER_LU_SOLVE,	   /* b = op(a)^-1 b, values are pivots */
	SC_SOLVER_CHOLESKY,	   /* a triangle of a becomes its factor, or its inverse */
	SC_SOLVER_CHOLESKY_SOLVE,  /* b = a^-1 b */
	SC_SOLVER_SYMMETRIC,	   /* a triangle of a becomes its factors, values are pivots */
	SC_SOLVER_SYMMETRIC_SOLVE, /* b = a^-1 b, values are pivots */
	SC_SOLVER_QR,		   /* a becomes its factors, values are those of reflections */
	SC_SOLVER_QR_MAKE,	   /* a becomes the orthogonal matrix */
	SC_SOLVER_QR_APPLY,	   /* b = q b, or b q, with q in a */
	SC_SOLVER_EIGEN,	   /* values are eigenvalues; a triangle of a becomes vectors */
	SC_SOLVER_GENERAL_EIGEN,   /* the same of any square matrix, with vectors in u and v */
	SC_SOLVER_SVD		   /* values are singular values; a = u values v */
};

struct sc_solver {
	enum sc_solver_form form;
	int64_t m, n, k, batches;
	int side;    /* of QR_APPLY */
	int vectors; /* of EIGEN */
	struct sc_blas_operand a, b, u, v, values;
	int64_t value_count;  /* of SVD: how many; 0: as many as there are */
	int left, right;      /* of SVD: the vectors of u and v */
	bool v_is_transposed; /* it has a row for each vector */
	bool a_is_kept;	      /* of SVD: a is only read */
	struct {
		const void *at;
		int64_t bytes; /* below 0: not known */
	} scratch, more;       /* more: only written */
	const void *info;
};

/* Elements of n columns, or -1 if that is too much. */
static inline int64_t sc_solver_area(int64_t ld, int64_t n)
{
	int64_t area;

	return __builtin_mul_overflow(ld, n, &area) ? -1 : area;
}

/* The letter of two numbers: whether there are vectors, and whether only the first ones. */
int sc_solver_letter(int vectors, int economic);
/* What a call touches. */
void sc_solver_describe(const struct sc_solver *call, struct sc_operand_list *out);
