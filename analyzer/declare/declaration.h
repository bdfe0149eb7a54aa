/* Declarations: footprints of kernels, written by a person where there is no PTX to read.
 *
 *	kernel *axpy_kernel*			a pattern for the mangled or the readable name
 *		reads  arg1 bytes 4*arg0
 *		at most updates arg2 bytes 4*arg0
 *
 * A text comes from the program (DECLARE ops) or a footprints file; docs/user/declarations.md has
 * the language. What a declaration does not mention is not touched. Of several that fit a kernel
 * the last one counts. Texts are hostile: reading says what is wrong with which line, or succeeds,
 * and numbers that make no sense at a launch widen an access to its whole allocation.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/declare/formula.h"
#include "footprint/footprint.h"
#include "base/arena.h"
#include "base/vector.h"
#include "trace/op.h"

#define SC_DECLARATIONS_MAX 65536

enum sc_declared_part {
	SC_DECLARED_FROM,
	SC_DECLARED_BYTES,
	SC_DECLARED_ROWS,
	SC_DECLARED_PITCH,
	SC_DECLARED_SLICES,
	SC_DECLARED_SLICE_PITCH,
	SC_DECLARED_PARTS
};

struct sc_declared_access {
	struct sc_declared_access *next;
	uint8_t mode; /* enum sc_footprint_mode bits */
	bool is_bound;
	bool is_offset; /* `pointer` is an offset of the parameters, else a parameter's number */
	uint32_t pointer;
	struct sc_formula parts[SC_DECLARED_PARTS];
};

struct sc_declaration {
	const char *pattern;
	uint8_t how;	/* enum sc_how */
	uint8_t others; /* what happens to pointers that are not mentioned, as mode bits */
	bool is_fallback;
	struct sc_declared_access *accesses; /* in order */
};

/* An empty one is all zero. */
struct sc_declarations {
	struct sc_arena arena;
	SC_VECTOR(struct sc_declaration) list;
};

struct sc_declaration_source {
	const char *name; /* stands for the text in messages */
	uint8_t how;	  /* enum sc_how */
	bool is_fallback; /* only for kernels without PTX */
};

/* Adds a text's declarations. Returns 0, or -EINVAL with a message that names the line; then
 * nothing of the text counts. */
int sc_declarations_parse(struct sc_declarations *d, const struct sc_declaration_source *source,
			  const char *text, size_t text_bytes, char *message, size_t bytes);
void sc_declarations_fini(struct sc_declarations *d);
/* The declaration of a kernel (mangled name), or NULL. */
const struct sc_declaration *sc_declarations_find(const struct sc_declarations *d,
						  const char *kernel);
