/* What handlers of products of matrices share: elements, registers, shapes (op_matrix.c). */
#pragma once

#include "simulator/executor/operation/operation.h"

enum element { F16, BF16, TF32, F32, F64, S8, U8, S4, U4, S32, E4M3, E5M2, B1, B1_XOR };

static inline unsigned bits_of(enum element e)
{
	switch (e) {
	case F16:
	case BF16: return 16;
	case TF32:
	case F32:
	case S32: return 32;
	case F64: return 64;
	case S8:
	case U8:
	case E4M3:
	case E5M2: return 8;
	case S4:
	case U4: return 4;
	case B1:
	case B1_XOR: break;
	}
	return 1;
}

/* Registers of an operand: lists of slots, each of 4 or 8 bytes a lane. */
struct registers {
	struct exec_warp *w;
	const exec_slot *slot;
	unsigned width;
	enum element element;
};

static inline struct registers registers_of(struct exec_warp *w, const struct exec_instruction *in,
					    unsigned operand, enum element e)
{
	return (struct registers){w, in->list + in->slot[operand], in->width[operand], e};
}

struct shape {
	unsigned m, n, k;
	enum element d, a, b, c;
};

struct fragment {
	unsigned rows, columns;
	enum element element;
	unsigned each; /* elements of a lane */
	bool by_columns;
	unsigned stride; /* slot of what lies between rows, or columns */
	unsigned packed; /* numbers in one element */
};

/* Whether the elements of two registers of a fragment take turns: they are of a sum. */
static inline bool in_turns(enum element e, unsigned each)
{
	return bits_of(e) >= 32 && e != TF32 && each > 1;
}

/* D = A * B + C of all lanes, `block` products of a sum at once (aligned.h). wmma's factors are in
 * their registers row by row, those of mma in pieces of eight rows, or columns. False: this takes
 * the long way, and nothing has happened. */
#define exec_whole_product EXEC_LEVELED(exec_whole_product_of)
bool exec_whole_product(const struct shape *s, bool is_wmma, unsigned block,
			const struct registers *d, const struct registers *a,
			const struct registers *b, const struct registers *c, uint32_t mask,
			unsigned demands);

/* The same of matrices that lie row by row: sum += left * right. */
#define exec_whole_sums EXEC_LEVELED(exec_whole_sums_of)
bool exec_whole_sums(const struct shape *s, unsigned block, const double *left, const double *right,
		     double *sum);
