/* Sparse: the bytes that cuSPARSE's generic functions read and write, as the manual describes their
 * descriptors.
 *
 * A sparse matrix is three arrays: of its pattern two, which say where elements are, and the values
 * of these. Which elements of a dense operand are used depends on the pattern, which is in device
 * memory: an upper bound. Once the program called a function that prepares a product, the library
 * may have the pattern elsewhere: that it reads the arrays is then not certain. Nothing here looks
 * at memory or asks a library.
 */
#pragma once

#include "extensions/agents/operands/operand.h"
#include "extensions/agents/operands/vendor_sparse.h"

enum sc_sparse_form {
	SC_SPARSE_MULTIPLY, /* dense[1] = alpha op(sparse) dense[0] + beta dense[1] */
	SC_SPARSE_SAMPLE,   /* sparse = alpha dense[0] dense[1] + beta sparse, in its pattern */
	SC_SPARSE_PREPARE,  /* looks at the sparse matrix, and fills the buffer */
	SC_SPARSE_SOLVE,    /* dense[1] = alpha op(sparse)^-1 dense[0] */
	SC_SPARSE_EXPAND,   /* dense[0] = sparse */
	SC_SPARSE_COUNT,    /* row offsets of sparse = elements of dense[0] that are not 0 */
	SC_SPARSE_COLLECT,  /* sparse = dense[0] */
	SC_SPARSE_ADD,	    /* dense[1] = alpha sparse + beta dense[1] */
	SC_SPARSE_GATHER,   /* sparse = dense[0], in its pattern */
	SC_SPARSE_SCATTER,  /* dense[1] = sparse, in its pattern */
	SC_SPARSE_CONVERT,  /* other = sparse, in another format */
	SC_SPARSE_DOT	    /* result = sparse' dense[0] */
};

struct sc_sparse_array {
	const void *at;
	int64_t count;
	int type; /* enum sc_vendor_type */
};

struct sc_sparse_matrix {
	int format;			/* enum sc_sparse_format */
	struct sc_sparse_array offsets; /* none in a vector; COO: the rows of the elements */
	struct sc_sparse_array indices;
	struct sc_sparse_array values;
};

struct sc_sparse {
	enum sc_sparse_form form;
	struct sc_sparse_matrix sparse, other;
	struct sc_matrix dense[2];
	int operation; /* op, an enum sc_vendor_operation */
	enum sc_scalar alpha, beta;
	const void *result; /* of DOT; NULL: the host's */
	int scalar;	    /* its type */
	struct {
		const void *at;
		uint64_t bytes;
	} buffer;
	bool is_prepared; /* the pattern may have been read before */
	bool is_unknown;
};

/* The type of an index, SC_TYPE_UNKNOWN: there is no such number. */
int sc_sparse_index_type(int index);
/* What a call touches. */
void sc_sparse_describe(const struct sc_sparse *call, struct sc_operand_list *out);
