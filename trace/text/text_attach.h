/* Attachments in the text form: printing them, and collecting them while a line is parsed. */
#pragma once

#include <stdbool.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/vector.h"
#include "trace/reader.h"
#include "trace/writer.h"

/* All attachments of the record but the first of each kind that is an operand of its kind of op,
 * as " key=value". */
void sc_text_attach_print(struct sc_buf *out, const struct sc_record *record);
/* The first attachment of the type as an operand, "-" if there is none. */
void sc_text_attach_print_operand(struct sc_buf *out, const struct sc_record *record,
				  uint32_t type);

/* Attachments of the line being parsed; data lives in the arena. */
struct sc_text_attachments {
	struct sc_arena *arena; /* borrowed */
	SC_VECTOR(struct sc_attachment) list;
};

/* Adds one attachment with a copy of the data. */
void sc_text_attach_add(struct sc_text_attachments *a, uint32_t type, const void *data,
			size_t bytes);
/* The type that a key stands for (text, frames, python, …), or 0. `accesses`, `launch` and `params`
 * are not here: they know names, or each other. */
uint32_t sc_text_attach_type(const char *key, size_t bytes);
/* Parses the value of such a key. False if it is malformed. */
bool sc_text_attach_parse(struct sc_text_attachments *a, uint32_t type, const char *text,
			  size_t bytes);
/* launch=gx,gy,gz/bx,by,bz/shared/attributes, later parts may be missing. */
bool sc_text_attach_launch(struct sc_text_attachments *a, const char *text, size_t bytes);
/* Adds bytes to the parameter image of the last launch (made if there is none). */
void sc_text_attach_params(struct sc_text_attachments *a, const void *data, size_t bytes);
/* The same from hexadecimal digits. False if the text has other characters. */
bool sc_text_attach_params_hex(struct sc_text_attachments *a, const char *text, size_t bytes);
