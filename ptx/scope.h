/* Scopes of a PTX function: which register, symbol or label does a name mean here?
 *
 * Blocks nest and may declare a name again (inline assembly does). Scope 0 is the module. A range
 * declaration (%r<100>) covers %r0 … %r99. Registers get numbers on first use, so a declaration
 * of four billion registers costs nothing.
 */
#pragma once

#include <stdbool.h>
#include "ptx/lexer.h"
#include "ptx/ptx.h"

#define SC_SCOPE_DEPTH 64

struct sc_ptx_declaration {
	bool is_register;
	uint8_t type;
	uint32_t count;	 /* of a range; 0: a plain name */
	uint32_t symbol; /* if no register */
};

struct sc_scope {
	SC_VECTOR(struct sc_ptx_declaration) declarations; /* the module's first */
	size_t outer_count;				   /* how many are the module's */
	SC_VECTOR(uint32_t) parents;			   /* of each scope */
	struct sc_u64_map outer;     /* name → declaration + 1, of the module */
	struct sc_u64_map names;     /* scope, name → declaration + 1, of the function */
	struct sc_u64_map registers; /* declaration, index → register + 1 */
	struct sc_u64_map labels;    /* scope, name → label + 1 */
	struct sc_u64_map resolved;  /* scope, name → register + 1, found before */
	uint32_t resolved_most;	     /* no scope above this one has resolved a name */
	uint32_t current;
	uint32_t depth;
};

/* What the reader works on: kept with the module while bodies may be asked for. */
struct sc_ptx_reader {
	struct sc_ptx *module;
	struct sc_lexer lexer;
	struct sc_scope scope;
	struct sc_function function;		  /* being read */
	SC_VECTOR(struct sc_ptx_operand) pending; /* operands of the instruction being read */
	SC_VECTOR(struct sc_instruction) forms;	  /* by opcode with modifiers, no more set */
	struct sc_u64_map form_of;		  /* name → form + 1 */
	bool calls;				  /* it is a call: lists have parentheses */
	uint32_t used;				  /* by a pragma, of the next instruction */
	uint32_t source_file;			  /* of the last .loc */
	uint32_t source_line;
};

void sc_scope_init(struct sc_scope *s);
void sc_scope_fini(struct sc_scope *s);
/* Enters and leaves a block; past SC_SCOPE_DEPTH blocks share a scope. */
void sc_scope_push(struct sc_scope *s);
void sc_scope_pop(struct sc_scope *s);
/* Forgets everything but the module's own names. */
void sc_scope_end_function(struct sc_scope *s);
void sc_scope_declare(struct sc_scope *s, uint32_t name, struct sc_ptx_declaration declaration);
/* Label of that name in the current scope; made if it is not there. */
uint32_t sc_scope_label(struct sc_ptx_reader *r, uint32_t name);
/* Resolves a label used in `scope`: its number + 1, or 0. */
uint32_t sc_scope_find_label(const struct sc_scope *s, uint32_t scope, uint32_t name);
/* Operand that a word stands for: register, symbol, special register, or NAME (value: scope). */
struct sc_ptx_operand sc_scope_resolve(struct sc_ptx_reader *r, const char *text, size_t bytes);
