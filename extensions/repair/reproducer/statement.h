/* Statements of a reproducer: each step as a call of the CUDA runtime. */
#pragma once

#include "extensions/repair/reproducer/slice.h"
#include "extensions/repair/reproducer/spelling.h"
#include "reports/words/words.h"

/* An object of the program: memory by its index in the slice, others by their id. */
struct sc_statement_name {
	uint32_t kind; /* enum sc_op_kind of what makes it */
	uint64_t id;
	char text[SC_SPELLING_NAME];
};

/* Functions that the program needs. */
enum sc_statement_helper {
	SC_HELPER_WRITE = 1,
	SC_HELPER_READ = 2,
	SC_HELPER_SINK = 4,
	SC_HELPER_NODE = 8,
	SC_HELPER_THREAD = 16,
	SC_HELPER_EARLY = 32,
	SC_HELPER_POOL = 64,
	SC_HELPER_FILE = 128,
	SC_HELPER_TRIGGER = 256,
	SC_HELPER_IDLE = 512
};

struct sc_statements {
	const struct sc_slice *slice; /* borrowed, as the words */
	const struct sc_words *words;
	SC_VECTOR(struct sc_statement_name) names;
	unsigned helpers;   /* enum sc_statement_helper */
	const char *reason; /* why a step cannot be made; NULL: all can */
	unsigned kind;	    /* enum sc_op_kind of a step that has no row; 0: all have */
};

/* What an object is called; the first call makes its name, of the variable or with a number. */
const char *sc_statement_name(struct sc_statements *p, uint32_t kind, uint64_t id);
/* Appends a stream: its name, or that of a default stream. */
void sc_statement_add_stream(struct sc_statements *p, struct sc_buf *out, uint32_t stream);
/* True of a stream that the program makes. */
bool sc_statement_has_stream(const struct sc_statements *p, uint32_t stream);
/* The device of a context. */
unsigned sc_statement_device(const struct sc_statements *p, uint32_t context);
/* Appends the statement of a step, with its semicolon; sets `reason` or `kind` if it cannot. */
void sc_statement_add(struct sc_statements *p, struct sc_buf *out,
		      const struct sc_slice_step *step);
/* The same as a node of a graph: `name` of the node, and which node comes before it, or NULL. */
void sc_statement_add_node(struct sc_statements *p, struct sc_buf *out,
			   const struct sc_slice_step *step, const char *name, const char *after);
