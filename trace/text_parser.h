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
#ifndef SC_TRACE_TEXT_PARSER_H
#define SC_TRACE_TEXT_PARSER_H

#include "base/arena.h"
#include "base/vector.h"
#include "trace/field.h"
#include "trace/text.h"
#include "trace/text_attach.h"
#include "trace/text_lex.h"

/* What a name can stand for. */
enum sc_symbol_class {
	SC_SYMBOL_CONTEXT = 'C',
	SC_SYMBOL_STREAM = 'S',
	SC_SYMBOL_EVENT = 'E',
	SC_SYMBOL_FUNCTION = 'F',
	SC_SYMBOL_OBJECT = 'O',
	SC_SYMBOL_BUFFER = 'B',
	SC_SYMBOL_STRING = 'T'
};

struct sc_symbol {
	uint32_t id;
	uint32_t context_id;	   /* of a stream */
	struct sc_symbol *context; /* of a stream; NULL if it was a number */
	uint8_t device;		   /* of a context */
	uint8_t memory;		   /* of a buffer */
	_Bool freed;		   /* of a buffer */
	uint64_t base;		   /* of a buffer */
	uint64_t bytes;		   /* of a buffer; 0 = not known */
};

/* An op line that is done: what links and callbacks refer to. */
struct sc_text_done {
	uint64_t sequence;
	struct sc_op op;
};

struct sc_text_callback {
	uint64_t link;
	uint32_t thread;
};

/* A copy2d's shape. */
struct sc_text_shape {
	uint64_t width, rows, slices;
	uint64_t dst_pitch, src_pitch, dst_slice_pitch, src_slice_pitch;
};

struct sc_text_parser {
	struct sc_arena arena;
	struct sc_symbol_entry *symbols;	      /* uthash; entries in the arena */
	SC_VECTOR(struct sc_symbol *) buffers;	      /* in order of declaration */
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
	unsigned line;	       /* of the text */
	char *message;
	size_t message_bytes;
};

/* The op line being parsed. */
struct sc_text_line {
	struct sc_op op;
	uint32_t given; /* bit per field that was taken */
	uint32_t keyed; /* bit per field that stands somewhere as field=value */
	unsigned operand_at;
	_Bool is_2d;
	_Bool is_reversed;	   /* -> instead of <- */
	_Bool is_callback_prefix;  /* cbN: stood in front */
	uint8_t mode, known;	   /* of the access list that is open */
	struct sc_span declares;   /* buffer that an allocation names */
	struct sc_symbol *context; /* if it was named, or came with the stream */
	struct sc_symbol *dst, *src;
	struct sc_text_shape shape;
	struct sc_text_attachments attachments;
	SC_VECTOR(struct sc_access) accesses;
	struct sc_buf arguments; /* of a kernel, 8 bytes each */
};

/* Says what is wrong with the current line; returns -EINVAL. */
int sc_text_fail(struct sc_text_parser *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The span as "%.*s" arguments, cut to a sensible length. */
#define SC_SPAN(s) (int)((s).bytes > 60 ? 60 : (s).bytes), (s).text

/* text_emit.c: appends a record; its sequence number, or SC_NOT_WRITTEN if it is too long. */
uint64_t sc_text_emit(struct sc_text_parser *p, const struct sc_op *op,
		      const struct sc_attachment *attachments, unsigned count, uint32_t op_line);
/* Appends a definition that no line wrote. */
void sc_text_emit_implied(struct sc_text_parser *p, const struct sc_op *op, struct sc_span text);

/* text_name.c: symbols. `get` finds or makes one (*made says which). */
struct sc_symbol *sc_text_symbol_find(struct sc_text_parser *p, enum sc_symbol_class class,
				      struct sc_span name);
struct sc_symbol *sc_text_symbol_get(struct sc_text_parser *p, enum sc_symbol_class class,
				     struct sc_span name, _Bool *made);
void sc_text_symbols_fini(struct sc_text_parser *p);
uint32_t sc_text_new_id(struct sc_text_parser *p);
/* An id written as a number: ids that are given out later stay clear of it. */
void sc_text_use_id(uint32_t *next, uint64_t id);
/* Each returns 0 and the id behind a name, declaring it if need be, or -EINVAL. */
int sc_text_name_context(struct sc_text_parser *p, struct sc_text_line *l, struct sc_span name);
int sc_text_name_default_context(struct sc_text_parser *p, struct sc_text_line *l);
int sc_text_name_stream(struct sc_text_parser *p, struct sc_text_line *l, struct sc_span name);
int sc_text_name_object(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
			struct sc_span name, uint64_t *id);
uint32_t sc_text_name_string(struct sc_text_parser *p, struct sc_span text);

/* text_value.c: parses and stores the value of a field. 0 or -EINVAL. */
int sc_text_value(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
		  struct sc_span value);

/* text_place.c: buffers. */
int sc_text_place(struct sc_text_parser *p, struct sc_span text, uint64_t *address,
		  struct sc_symbol **buffer);
int sc_text_place_access(struct sc_text_parser *p, struct sc_text_line *l, struct sc_span spec);
int sc_text_place_accesses(struct sc_text_parser *p, struct sc_text_line *l, struct sc_span list);
int sc_text_place_argument(struct sc_text_parser *p, struct sc_text_line *l, struct sc_span text);
/* Fills in addresses, sizes and kinds of memory that the line left out. */
int sc_text_place_finish(struct sc_text_parser *p, struct sc_text_line *l);
/* What the op changes about buffers. */
void sc_text_place_effect(struct sc_text_parser *p, struct sc_text_line *l);

/* text_finish.c: fills in what the line left out, then writes it as one record or two. */
int sc_text_finish(struct sc_text_parser *p, struct sc_text_line *l);
int sc_text_emit_line(struct sc_text_parser *p, struct sc_text_line *l);

/* text_line.c: one op line from its tokens. */
int sc_text_line(struct sc_text_parser *p);

static inline _Bool sc_text_is_given(const struct sc_text_line *l, unsigned field)
{
	return field < SC_FIELDS && l->given >> field & 1;
}

static inline struct sc_span sc_span_of(const char *text)
{
	return (struct sc_span){text, __builtin_strlen(text)};
}

#endif
