/* The state of one parse of a text form, shared by the text_*.c files; not for others.
 *
 *	text_parse.c	lines, in order
 *	text_line.c	one line: tokens to fields
 *	text_finish.c	what the line left out
 *	text_value.c	the value of one field
 *	text_name.c	names of streams, events, contexts, functions: declared on first use
 *	text_place.c	names of buffers, addresses, accesses
 *	text_emit.c	finished ops to slots
 */
#pragma once

#include <stdbool.h>
#include "base/arena.h"
#include "base/vector.h"
#include "trace/field.h"
#include "trace/text/text.h"
#include "trace/text/text_attach.h"
#include "trace/text/text_lex.h"
#include "trace/text/text_symbol.h"

/* An op line that is done: what links and callbacks refer to. */
struct sc_text_done {
	uint64_t sequence;
	struct sc_op op;
	bool is_other; /* of another rank: it has no record here */
};

struct sc_text_callback {
	uint64_t link;
	uint32_t thread;
};

struct sc_text_parser {
	struct sc_arena arena;
	struct sc_text_symbols symbols;
	SC_VECTOR(struct sc_text_symbol *) buffers;   /* in order of declaration */
	SC_VECTOR(struct sc_slot) slots;	      /* the trace */
	SC_VECTOR(uint32_t) op_lines;		      /* parallel to slots */
	SC_VECTOR(struct sc_text_done) done;	      /* by op line - 1 */
	SC_VECTOR(struct sc_text_callback) callbacks; /* by number - 1 */
	SC_VECTOR(struct sc_token) tokens;	      /* of the line */
	SC_VECTOR(char *) expectations;		      /* heap, owned */
	uint32_t next_id;			      /* of contexts, streams, objects */
	uint32_t next_string;
	uint64_t next_address; /* of allocations */
	uint64_t next_host;    /* of pageable buffers */
	uint32_t rank;	       /* + 1, whose lines are read; 0: of one process, without ranks */
	uint64_t lost;	       /* records, for the header */
	unsigned line;	       /* of the text */
	char *message;
	size_t message_bytes;
};

/* Says what is wrong with the current line; returns -EINVAL. */
int sc_text_fail(struct sc_text_parser *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The span as "%.*s" arguments, cut to a sensible length. */
#define SC_SPAN(s) sc_text_shown(s), (s).text

static inline int sc_text_shown(struct sc_text_span s)
{
	return s.bytes > 60 ? 60 : (int)s.bytes;
}

/* text_emit.c: appends a record; its sequence number, or SC_NOT_WRITTEN if it is too long. */
uint64_t sc_text_emit(struct sc_text_parser *p, const struct sc_op *op,
		      const struct sc_attachment *attachments, unsigned count, uint32_t op_line);
/* Appends a definition that no line wrote. */
void sc_text_emit_implied(struct sc_text_parser *p, const struct sc_op *op,
			  struct sc_text_span text);
