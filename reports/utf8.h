/* UTF-8 of unknown origin: names and paths of a trace may hold any byte. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"

#define SC_UTF8_INVALID UINT32_C(0xFFFD) /* the replacement character */

/* Decodes the next character of `bytes` > 0 bytes; returns how many bytes it took. A byte that is
 * no sound UTF-8 gives SC_UTF8_INVALID and takes one byte. */
size_t sc_utf8_decode(const char *text, size_t bytes, uint32_t *character);
/* Appends a character. */
void sc_utf8_add(struct sc_buf *out, uint32_t character);
/* Appends text of any origin, each character by `add`, which escapes as a format wants it. */
void sc_utf8_add_each(struct sc_buf *out, const char *text,
		      void (*add)(struct sc_buf *out, uint32_t character));
/* Appends text fit for a terminal: valid UTF-8, control characters shown as "?". */
void sc_utf8_add_clean(struct sc_buf *out, const char *text);
/* The same, cut to `columns` characters with "…" at the end if it is longer; 0 = whole. */
void sc_utf8_add_cut(struct sc_buf *out, const char *text, size_t columns);
/* Columns that sound text takes, every character counted as one. */
size_t sc_utf8_columns(const char *text, size_t bytes);
