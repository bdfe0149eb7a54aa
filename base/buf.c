/* Buf: a growing string, always terminated. */
#include "base/buf.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/assert.h"
#include "base/heap.h"
#include "base/message.h"
#include "base/vector.h"
#include "base/sys.h"

static void reserve(struct sc_buf *b, size_t extra)
{
	sc_assert(b->bytes <= b->room);
	if (b->room - b->bytes > extra)
		return;
	b->text = sc_vector_grown(b->text, b->bytes, &b->room,
				  extra == SIZE_MAX ? extra : extra + 1, 1);
}

void sc_buf_fini(struct sc_buf *b)
{
	free(b->text);
	*b = (struct sc_buf){0};
}

void sc_buf_clear(struct sc_buf *b)
{
	b->bytes = 0;
	if (b->text)
		b->text[0] = 0;
}

void sc_buf_add_bytes(struct sc_buf *b, const void *data, size_t bytes)
{
	reserve(b, bytes);
	if (bytes)
		memcpy(b->text + b->bytes, data, bytes);
	b->bytes += bytes;
	b->text[b->bytes] = 0;
}

void sc_buf_add(struct sc_buf *b, const char *text)
{
	sc_buf_add_bytes(b, text, strlen(text));
}

int sc_buf_add_file(struct sc_buf *b, int fd)
{
	char part[65536];
	ssize_t got;

	do {
		got = sc_sys_read(fd, part, sizeof(part));
		if (got > 0)
			sc_buf_add_bytes(b, part, (size_t)got);
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got < 0 ? -errno : 0;
}

void sc_buf_add_char(struct sc_buf *b, char c)
{
	sc_buf_add_bytes(b, &c, 1);
}

void sc_buf_fill(struct sc_buf *b, char c, size_t count)
{
	reserve(b, count);
	memset(b->text + b->bytes, c, count);
	b->bytes += count;
	b->text[b->bytes] = 0;
}

void sc_buf_vprintf(struct sc_buf *b, const char *format, va_list arguments)
{
	va_list again;
	int need;

	va_copy(again, arguments);
	need = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (need < 0)
		sc_die("cannot format \"%s\" in this locale, use LC_ALL=C", format);
	reserve(b, (size_t)need);
	vsnprintf(b->text + b->bytes, (size_t)need + 1, format, arguments);
	b->bytes += (size_t)need;
}

void sc_buf_printf(struct sc_buf *b, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	sc_buf_vprintf(b, format, arguments);
	va_end(arguments);
}

const char *sc_buf_text(const struct sc_buf *b)
{
	return b->text ? b->text : "";
}

char *sc_buf_take(struct sc_buf *b)
{
	char *text = b->text ? b->text : sc_heap_xcopy("", 0);

	*b = (struct sc_buf){0};
	return text;
}
