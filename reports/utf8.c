/* UTF-8 of unknown origin, decoded strictly (no overlong forms, no surrogates). */
#include "reports/utf8.h"

#include <stdbool.h>
#include <string.h>

/* Length of a sequence by its first byte, 0 if none begins so. */
static size_t sequence_bytes(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xC2 && first < 0xE0)
		return 2;
	if (first >= 0xE0 && first < 0xF0)
		return 3;
	return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

static bool is_sound(uint32_t character, size_t length)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};

	return character >= smallest[length] && character <= 0x10FFFF &&
	       (character < 0xD800 || character > 0xDFFF);
}

size_t sc_utf8_decode(const char *text, size_t bytes, uint32_t *character)
{
	unsigned char first = (unsigned char)text[0];
	size_t length = sequence_bytes(first);
	uint32_t value = length == 1 ? first : first & (0x7Fu >> length);

	*character = SC_UTF8_INVALID;
	if (!length || length > bytes)
		return 1;
	for (size_t i = 1; i < length; i++) {
		unsigned char next = (unsigned char)text[i];

		if ((next & 0xC0) != 0x80)
			return 1;
		value = value << 6 | (next & 0x3F);
	}
	if (!is_sound(value, length))
		return 1;
	*character = value;
	return length;
}

void sc_utf8_add(struct sc_buf *out, uint32_t c)
{
	if (c < 0x80) {
		sc_buf_add_char(out, (char)c);
		return;
	}
	if (c < 0x800) {
		sc_buf_add_char(out, (char)(0xC0 | c >> 6));
	} else if (c < 0x10000) {
		sc_buf_add_char(out, (char)(0xE0 | c >> 12));
		sc_buf_add_char(out, (char)(0x80 | (c >> 6 & 0x3F)));
	} else {
		sc_buf_add_char(out, (char)(0xF0 | c >> 18));
		sc_buf_add_char(out, (char)(0x80 | (c >> 12 & 0x3F)));
		sc_buf_add_char(out, (char)(0x80 | (c >> 6 & 0x3F)));
	}
	sc_buf_add_char(out, (char)(0x80 | (c & 0x3F)));
}

/* Characters that move the cursor, change colours or hide text. */
static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) ||
	       (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

static void add_visible(struct sc_buf *out, uint32_t c)
{
	sc_utf8_add(out, is_control(c) ? '?' : c);
}

void sc_utf8_add_each(struct sc_buf *out, const char *text,
		      void (*add)(struct sc_buf *out, uint32_t character))
{
	size_t left = strlen(text);

	while (left) {
		uint32_t character;
		size_t took = sc_utf8_decode(text, left, &character);

		add(out, character);
		text += took;
		left -= took;
	}
}

void sc_utf8_add_clean(struct sc_buf *out, const char *text)
{
	sc_utf8_add_each(out, text, add_visible);
}

/* Bytes of the first `columns` characters of sound text. */
static size_t bytes_of_columns(const char *text, size_t columns)
{
	size_t bytes = 0;

	while (columns-- && text[bytes])
		do
			bytes++;
		while (((unsigned char)text[bytes] & 0xC0) == 0x80);
	return bytes;
}

void sc_utf8_add_cut(struct sc_buf *out, const char *text, size_t columns)
{
	size_t start = out->bytes;

	sc_utf8_add_clean(out, text);
	if (!columns || sc_utf8_columns(sc_buf_text(out) + start, out->bytes - start) <= columns)
		return;
	out->bytes = start + bytes_of_columns(out->text + start, columns - 1);
	sc_buf_add(out, "…");
}

size_t sc_utf8_columns(const char *text, size_t bytes)
{
	size_t columns = 0;

	for (size_t i = 0; i < bytes; i++)
		columns += ((unsigned char)text[i] & 0xC0) != 0x80;
	return columns;
}
