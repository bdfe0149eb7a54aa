/* Operands: the bytes of matrices and vectors that functions of linear algebra are given, as their
 * manuals describe them.
 *
 * Each function is seen as `out = alpha * f(in…) + beta * added`. Nothing here looks at memory or
 * asks a library: whoever has the call fills in a struct sc_product. What is not described by it,
 * or makes no sense (sizes below zero, a row that is longer than the distance to the next one,
 * bytes beyond the address space), is not known.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "extensions/agents/operands/vendor.h"
#include "trace/attach.h"

/* `batches` matrices of `columns` pieces of `rows` elements, `ld` elements from piece to piece, as
 * columns lie in memory. A vector with a step between its elements has one row. */
struct sc_matrix {
	const void *at;
	int64_t rows, columns, ld;
	int64_t stride, batches; /* elements from matrix to matrix; batches 0 means 1 */
	int type;		 /* enum sc_vendor_type */
	bool is_partly_used;	 /* a triangle of it, for instance */
};

/* A scalar's value, as far as it decides what is touched. */
enum sc_scalar { SC_SCALAR_OTHER, SC_SCALAR_ZERO, SC_SCALAR_ONE, SC_SCALAR_UNKNOWN };

#define SC_PRODUCT_INPUTS 2
#define SC_PRODUCT_OTHERS 8
#define SC_OPERANDS_MOST  (SC_PRODUCT_INPUTS + 2 + SC_PRODUCT_OTHERS)

struct sc_product {
	struct sc_matrix in[SC_PRODUCT_INPUTS]; /* rows 0: there is none */
	struct sc_matrix out;
	struct sc_matrix added; /* at NULL: it is `out` */
	bool out_is_input;	/* `out` is read whatever beta is */
	bool out_is_host;	/* the result is a number for the host */
	enum sc_scalar alpha;	/* a product of no depth counts as alpha 0 */
	enum sc_scalar beta;
	/* What else is used: bytes, mode and how well that is known. */
	struct sc_access other[SC_PRODUCT_OTHERS];
	unsigned others;
	bool is_unknown; /* something that is touched could not be described */
};

/* What one call touches, put together one by one. */
struct sc_operand_list {
	struct sc_access access[SC_OPERANDS_MOST];
	unsigned count;
	bool is_unknown; /* something that is touched could not be described */
};

/* Bytes of an element, 0: not known. */
unsigned sc_operand_element(int type);
/* What a value in memory is; bytes of no number are SC_SCALAR_UNKNOWN. */
enum sc_scalar sc_operand_scalar(int type, const void *value);
/* The type of the scalars of a product (cublasComputeType_t), SC_TYPE_UNKNOWN if it is not known.
 */
int sc_operand_scalar_type(int compute, int out_type);
/* The bytes of a matrix; false if it makes no sense. A width of 0 is an empty matrix. */
bool sc_operand_bytes(const struct sc_matrix *m, struct sc_access *out);
/* Adds plain bytes to a product. */
void sc_operand_add(struct sc_product *p, const void *at, uint64_t bytes, uint8_t mode,
		    uint8_t known);
/* Adds a matrix, or plain bytes, to a list; what makes no sense makes the list unknown, and what is
 * empty is left out. `known` is the best that is said of it. */
void sc_operand_list_add(struct sc_operand_list *list, const struct sc_matrix *m, uint8_t mode,
			 uint8_t known);
void sc_operand_list_add_bytes(struct sc_operand_list *list, const void *at, uint64_t bytes,
			       uint8_t mode, uint8_t known);
/* All that a product touches; returns how many, 0: it is not known, or nothing. */
unsigned sc_operands_of(const struct sc_product *p, struct sc_access *out);
