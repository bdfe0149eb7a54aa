/* One mapped file of the traced program, opened to look addresses up in it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "analyzer/symbol/dwarf.h"

/* Where debug information is looked for besides the usual places. */
struct sc_debug_places {
	const char *root; /* laid out as /usr/lib/debug, looked into before that; NULL: none */
	bool fetches;	  /* the debuginfod servers of the environment */
};

struct sc_symbol_module; /* opaque */

/* Opens `path`; separate debug files are looked for at the usual places, and
 * then at `places`. The C library is looked up by its symbols alone. NULL if it is no readable
 * ELF file, with ENOMEM in errno if there was no memory for what is in it. Of another build than
 * `build_id`, if that is given, nothing is known but its own. */
struct sc_symbol_module *sc_module_open(const char *path, const uint8_t *build_id,
					size_t build_id_bytes,
					const struct sc_debug_places *places);
void sc_module_close(struct sc_symbol_module *m);
/* What is asked about a file. */
enum sc_asked {
	SC_ASKED_PLACE,	   /* the frames at an offset */
	SC_ASKED_BETWEEN,  /* tail calls between a callee and the call that returns to an offset */
	SC_ASKED_OUT,	   /* the same; the callee is in another file */
	SC_ASKED_OUT_CUDA, /* the same; the callee is CUDA's */
	SC_ASKED_INTO,	   /* tail calls of the file that lead to the stub at an offset */
	SC_ASKED_SOURCES,  /* the source files that it was built from; no offset */
};

struct sc_question {
	enum sc_asked asked;
	uint64_t offset; /* in the file */
	uint64_t callee; /* of SC_ASKED_BETWEEN: offset in the file */
};

/* Reports the frames that a question is about, innermost first; or places with nothing but a source
 * file. */
void sc_symbol_module_look_up(struct sc_symbol_module *m, const struct sc_question *question,
			      sc_place_fn *place, void *context);
