/* Formulas of declarations: numbers computed from the parameters and the dimensions of a launch. */
#pragma once

#include <stdint.h>

#define SC_FORMULA_STEPS 64

enum sc_formula_kind {
	SC_FORMULA_NUMBER,   /* value */
	SC_FORMULA_ARGUMENT, /* parameter number `value` */
	SC_FORMULA_FIELD,    /* `bytes` bytes at offset `value` of the parameters */
	SC_FORMULA_GRID,     /* dimension `value` of the grid; of the block */
	SC_FORMULA_BLOCK,
	SC_FORMULA_ADD,
	SC_FORMULA_SUBTRACT,
	SC_FORMULA_MULTIPLY,
	SC_FORMULA_DIVIDE,
	SC_FORMULA_REMAINDER
};

/* One step of a formula in postfix order. */
struct sc_formula_step {
	uint8_t kind; /* enum sc_formula_kind */
	uint8_t bytes;
	int64_t value;
};

struct sc_formula {
	const struct sc_formula_step *steps; /* borrowed from the arena */
	uint32_t count;			     /* 0: not given */
};
