/* The words of PTX: opcodes, types, special registers, spaces, and parts of an opcode. */
#pragma once

enum sc_ptx_opcode {
#define OPCODE(id, text, class) SC_PTX_##id,
#include "ptx/opcode.def"
#undef OPCODE
	SC_PTX_OPCODES
};

enum sc_ptx_class {
	SC_PTX_CLASS_VALUE,
	SC_PTX_CLASS_MEMORY,
	SC_PTX_CLASS_TEXTURE,
	SC_PTX_CLASS_CONTROL,
	SC_PTX_CLASS_QUIET
};

enum sc_ptx_type {
	SC_TYPE_NONE,
#define TYPE(id, text, bits, kind) SC_TYPE_##id,
#include "ptx/type.def"
#undef TYPE
	SC_TYPES
};

enum sc_type_kind {
	SC_KIND_UNSIGNED,
	SC_KIND_SIGNED,
	SC_KIND_BITS,
	SC_KIND_FLOAT,
	SC_KIND_PREDICATE
};

enum sc_special {
#define SPECIAL(id, text, leaf, dimension) SC_SPECIAL_##id,
#include "ptx/special.def"
#undef SPECIAL
	SC_SPECIALS
};

enum sc_space {
	SC_SPACE_GENERIC,
	SC_SPACE_GLOBAL,
	SC_SPACE_SHARED,
	SC_SPACE_LOCAL,
	SC_SPACE_CONST,
	SC_SPACE_PARAM
};

enum sc_compare {
	SC_COMPARE_NONE,
	SC_COMPARE_EQ,
	SC_COMPARE_NE,
	SC_COMPARE_LT,
	SC_COMPARE_LE,
	SC_COMPARE_GT,
	SC_COMPARE_GE,
	SC_COMPARE_LO, /* unsigned; also mul.lo, mul.hi */
	SC_COMPARE_LS,
	SC_COMPARE_HI,
	SC_COMPARE_HS
};

enum sc_boolean { SC_BOOLEAN_NONE, SC_BOOLEAN_AND, SC_BOOLEAN_OR, SC_BOOLEAN_XOR };

enum sc_ptx_flag {
	SC_PART_ODD = 1 << 0, /* has a part that modifier.def does not list */
	SC_PART_WIDE = 1 << 1,
	SC_PART_TO = 1 << 2,
	SC_PART_QUERY = 1 << 3,
	SC_PART_BULK = 1 << 4,
	SC_PART_TENSOR = 1 << 5,
	SC_PART_PREFETCH = 1 << 6,
	SC_PART_LOAD = 1 << 7,
	SC_PART_STORE = 1 << 8,
	SC_PART_REDUCE = 1 << 9,
	SC_PART_CAS = 1 << 10,
	SC_PART_COLUMN = 1 << 11,
	SC_PART_MATRIX_A = 1 << 12,
	SC_PART_MATRIX_B = 1 << 13,
	SC_PART_MATRIX_C = 1 << 14,
	SC_PART_AT_MOST = 1 << 15 /* a mask or a margin leaves bytes out */
};

unsigned sc_type_bits(unsigned type);
enum sc_type_kind sc_type_kind(unsigned type);
enum sc_ptx_class sc_opcode_class(unsigned opcode);
/* As it is written, "%tid.x". */
const char *sc_special_text(unsigned special);
