/* Buf: a growing string, always terminated, for reports and messages.
 *
 * An empty buf is all zero. Appending is amortised constant per byte. Out of memory ends the tool.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

struct sc_buf {
	char *text;   /* owned; NULL before the first append */
	size_t bytes; /* without the terminator */
	size_t room;
};

void sc_buf_fini(struct sc_buf *b);
/* Forgets the content, keeps the room. */
void sc_buf_clear(struct sc_buf *b);

void sc_buf_add(struct sc_buf *b, const char *text);
void sc_buf_add_bytes(struct sc_buf *b, const void *data, size_t bytes);
/* All that can be read from the descriptor on; returns 0, or a negative errno after what was read.
 */
int sc_buf_add_file(struct sc_buf *b, int fd);
void sc_buf_add_char(struct sc_buf *b, char c);
/* `count` times the character. */
void sc_buf_fill(struct sc_buf *b, char c, size_t count);
void sc_buf_printf(struct sc_buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sc_buf_vprintf(struct sc_buf *b, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0), nonnull));

/* The text, "" if nothing was appended; borrowed. */
const char *sc_buf_text(const struct sc_buf *b);
/* Hands the text over (free it) and empties the buf. */
char *sc_buf_take(struct sc_buf *b);
