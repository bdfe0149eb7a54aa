/* The op line being parsed, and what works on it; for the text_*.c files only. */
#pragma once

#include <stdbool.h>
#include "trace/text/text_parser.h"

/* A copy2d's shape. */
struct sc_text_shape {
	uint64_t width, rows, slices;
	uint64_t dst_pitch, src_pitch, dst_slice_pitch, src_slice_pitch;
};

/* The op line being parsed. */
struct sc_text_line {
	struct sc_op op;
	uint32_t given; /* bit per field that was taken */
	uint32_t keyed; /* bit per field that stands somewhere as field=value */
	unsigned operand_at;
	bool is_2d;
	bool is_reversed;	 /* -> instead of <- */
	bool is_callback_prefix; /* cbN: stood before the kind */
	bool is_node;		 /* gN/INDEX: stood before the kind */
	bool is_returned;	 /* a message whose end comes at once */
	uint32_t node;
	struct sc_text_span after;	/* a node's dependencies */
	uint8_t mode, known;		/* of the access list that is open */
	struct sc_text_span declares;	/* buffer that an allocation names */
	struct sc_text_symbol *context; /* if it was named, or came with the stream */
	struct sc_text_symbol *dst, *src;
	struct sc_text_shape shape;
	struct sc_text_attachments attachments;
	SC_VECTOR(struct sc_access) accesses;
	struct sc_buf arguments; /* of a kernel, 8 bytes each */
};

/* text_name.c. */
uint32_t sc_text_new_id(struct sc_text_parser *p);
/* An id written as a number: ids that are given out later stay clear of it. */
void sc_text_use_id(uint32_t *next, uint64_t id);
/* Each returns 0 and the id of a name, declaring it if need be, or -EINVAL. */
int sc_text_name_context(struct sc_text_parser *p, struct sc_text_line *l,
			 struct sc_text_span name);
int sc_text_name_default_context(struct sc_text_parser *p, struct sc_text_line *l);
int sc_text_name_stream(struct sc_text_parser *p, struct sc_text_line *l, struct sc_text_span name);
int sc_text_name_object(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
			struct sc_text_span name, uint64_t *id);
/* A graph's id. */
int sc_text_name_graph(struct sc_text_parser *p, struct sc_text_span name, uint64_t *id);
uint32_t sc_text_name_string(struct sc_text_parser *p, struct sc_text_span text);

/* text_value.c: parses and stores the value of a field. 0 or -EINVAL. */
int sc_text_value(struct sc_text_parser *p, struct sc_text_line *l, unsigned field,
		  struct sc_text_span value);

/* text_message.c: true for a value in words ("receive+blocks"), which *number then is. */
bool sc_text_message_value(const struct sc_op *op, unsigned field, struct sc_text_span value,
			   uint64_t *number);
/* The field that a key of messages stands for ("to", "tag"), and what a record adds to its number;
 * SC_FIELDS: it is no such key. */
unsigned sc_text_message_key(const struct sc_op *op, struct sc_text_span key, unsigned *added);

/* text_place.c: buffers. */
int sc_text_place(struct sc_text_parser *p, struct sc_text_span text, uint64_t *address,
		  struct sc_text_symbol **buffer);
int sc_text_place_access(struct sc_text_parser *p, struct sc_text_line *l,
			 struct sc_text_span spec);
int sc_text_place_accesses(struct sc_text_parser *p, struct sc_text_line *l,
			   struct sc_text_span list);
int sc_text_place_argument(struct sc_text_parser *p, struct sc_text_line *l,
			   struct sc_text_span text);
/* Fills in addresses, sizes and kinds of memory that the line left out. */
int sc_text_place_finish(struct sc_text_parser *p, struct sc_text_line *l);
/* What the op changes about buffers. */
void sc_text_place_effect(struct sc_text_parser *p, struct sc_text_line *l);

/* text_finish.c: fills in what the line left out, then writes it as one record or two. */
int sc_text_finish(struct sc_text_parser *p, struct sc_text_line *l);
int sc_text_emit_line(struct sc_text_parser *p, struct sc_text_line *l);

/* text_line.c: one op line from its tokens. */
int sc_text_line(struct sc_text_parser *p);

static inline bool sc_text_is_given(const struct sc_text_line *l, unsigned field)
{
	return field < SC_FIELDS && l->given >> field & 1;
}

static inline struct sc_text_span sc_span_of(const char *text)
{
	return (struct sc_text_span){text, __builtin_strlen(text)};
}
