/* The structs of a PTX module: functions, instructions, operands, symbols. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/map.h"
#include "base/vector.h"
#include "ptx/isa.h"

/* A label that names a list of branch targets: index into `targets` follows. */
#define SC_LABEL_TARGETS UINT32_C(0x80000000)

enum sc_operand_kind {
	SC_OPERAND_SINK,     /* "_", or nothing that makes sense */
	SC_OPERAND_REGISTER, /* id */
	SC_OPERAND_INTEGER,  /* value */
	SC_OPERAND_FLOAT,    /* value: the bits of a float if is_single, else of a double */
	SC_OPERAND_SPECIAL,  /* id: enum sc_special */
	SC_OPERAND_SYMBOL,   /* id: index into the module's symbols; value: offset */
	SC_OPERAND_NAME,     /* id: name; anything declared elsewhere or never */
	SC_OPERAND_LABEL,    /* id */
	SC_OPERAND_ADDRESS,  /* count operands from first; value: offset of the first of them */
	SC_OPERAND_VECTOR    /* count operands from first: {a, b}, (a, b), p|q */
};

/* The component of a register that an operand names. */
enum sc_component {
	SC_COMPONENT_NONE,
	SC_COMPONENT_OTHER, /* .x, and several bytes or halves */
	SC_COMPONENT_B0,    /* the bytes, lowest first */
	SC_COMPONENT_H0 = SC_COMPONENT_B0 + 4
};

struct sc_ptx_operand {
	uint8_t kind;
	bool negated;
	uint8_t partial; /* enum sc_component */
	bool is_single;
	uint32_t count;
	uint32_t id; /* ADDRESS, VECTOR: index of the first operand inside */
	int64_t value;
};

struct sc_instruction {
	uint16_t opcode; /* enum sc_ptx_opcode */
	uint8_t space;	 /* first state space named */
	uint8_t space2;	 /* second one */
	uint8_t type;	 /* first type named */
	uint8_t type2;
	uint8_t vector; /* elements, at least 1 */
	uint8_t compare;
	uint8_t boolean;
	bool guard_negated;
	uint16_t flags;
	uint16_t rows; /* wmma: the shape's m, n, k */
	uint16_t columns;
	uint16_t depth;
	uint32_t name;	/* the opcode with all its parts */
	uint32_t guard; /* register + 1, 0: none */
	uint32_t first; /* operand */
	uint32_t count;
	uint32_t used; /* ld: a bit for each byte that is used (.pragma); 0: all */
	uint32_t line;
	uint32_t source_file; /* of the last .loc: number of the file, 0: no .loc so far */
	uint32_t source_line;
};

struct sc_ptx_symbol {
	uint32_t name;
	uint8_t space;	 /* enum sc_space */
	bool is_pointer; /* parameter declared .ptr */
	bool is_extern;
	uint32_t align;
	uint64_t bytes;
	uint64_t offset; /* parameters: in the parameter image */
};

/* One element of a variable's initializer. */
struct sc_ptx_initial {
	uint32_t symbol;
	uint32_t target; /* name of the symbol whose address it is + 1; 0: it is the number */
	uint64_t offset; /* in the variable */
	uint64_t value;	 /* the number's bits, or what is added to the address */
	uint64_t mask;	 /* which bits of the address, moved to the right end */
	uint8_t bytes;
};

struct sc_ptx_file {
	uint32_t number; /* as .loc names it */
	uint32_t name;
};

/* What a function's directives say of clusters of blocks. */
enum sc_clusters {
	SC_CLUSTERS_NONE,   /* nothing: as the launch says */
	SC_CLUSTERS_NAMED,  /* their shape, or that there are some */
	SC_CLUSTERS_COUNTED /* .blocksareclusters: a launch counts clusters, not blocks */
};

struct sc_function {
	uint32_t name;
	bool is_kernel;
	bool has_body;
	bool no_return;
	uint8_t clusters;     /* enum sc_clusters */
	uint32_t threads[3];  /* of a block, which the kernel demands (.reqntid); 0: it does not */
	bool is_odd;	      /* its body has a pragma or directive that is not known */
	bool odd_params;      /* parameters in registers, as old compilers passed them */
	uint32_t param_first; /* symbols */
	uint32_t param_count;
	uint32_t return_first;
	uint32_t return_count;
	uint32_t local_first; /* symbols: those that its body declares */
	uint32_t local_count;
	uint32_t problems;  /* places of the body that made no sense */
	uint32_t body_line; /* of the text, where the body begins */
	const char *body;   /* borrowed from the text until it is read, then NULL */
	size_t body_bytes;  /* with the '}' at its end */
	/* What follows is empty until the body is read. */
	SC_VECTOR(struct sc_instruction) code;
	SC_VECTOR(struct sc_ptx_operand) operands; /* the first one belongs to nobody */
	SC_VECTOR(uint32_t) labels;		   /* label → instruction */
	SC_VECTOR(uint8_t) registers;		   /* type of each */
	SC_VECTOR(uint32_t) targets; /* label lists of .branchtargets: count, labels… */
};

struct sc_ptx {
	SC_VECTOR(struct sc_function) functions;
	SC_VECTOR(struct sc_ptx_symbol) symbols;
	SC_VECTOR(struct sc_ptx_initial) initials; /* of variables of the module */
	SC_VECTOR(struct sc_ptx_file) files;
	SC_VECTOR(const char *) names;
	struct sc_u64_map name_ids; /* hash → name + 1 */
	struct sc_u64_map bodies;   /* name → function that has a body + 1 */
	struct sc_arena arena;
	uint32_t symbol_count;	      /* of `symbols`, those that no body declares */
	struct sc_ptx_reader *reader; /* owned: for bodies that are not read yet (scope.h) */
	uint32_t version;	      /* major * 100 + minor */
};
