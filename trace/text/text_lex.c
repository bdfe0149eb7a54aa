/* Lex: a line of the text form cut into tokens, and the small values inside tokens. */
#include "trace/text/text_lex.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void advance(struct sc_text_span *s, size_t bytes)
{
	if (!bytes)
		return; /* no text at all may be NULL */
	s->text += bytes;
	s->bytes -= bytes;
}

static void skip_space(struct sc_text_span *s)
{
	while (s->bytes && is_space(*s->text))
		advance(s, 1);
}

/* Takes a key with its '=' off the front, if there is one. */
static struct sc_text_span take_key(struct sc_text_span *line)
{
	struct sc_text_span key = *line;
	size_t n = 0;

	while (n < line->bytes && (islower((unsigned char)line->text[n]) || line->text[n] == '_' ||
				   (n && isdigit((unsigned char)line->text[n]))))
		n++;
	if (!n || n == line->bytes || line->text[n] != '=')
		n = 0;
	key.bytes = n;
	if (n)
		advance(line, n + 1);
	return key;
}

/* Takes what stands between an opening character and its closing one. */
static bool take_enclosed(struct sc_text_span *line, char close, struct sc_text_span *out)
{
	size_t n = 1;

	while (n < line->bytes && line->text[n] != close)
		n += close == '"' && line->text[n] == '\\' ? 2 : 1;
	if (n >= line->bytes)
		return 0;
	*out = (struct sc_text_span){line->text + 1, n - 1};
	advance(line, n + 1);
	return 1;
}

static struct sc_text_span take_word(struct sc_text_span *line)
{
	struct sc_text_span word = *line;
	size_t n = 0;

	while (n < line->bytes && !is_space(line->text[n]))
		n++;
	word.bytes = n;
	advance(line, n);
	return word;
}

int sc_lex_token(struct sc_text_span *line, struct sc_token *out)
{
	skip_space(line);
	if (!line->bytes || *line->text == '#')
		return 0;
	out->key = take_key(line);
	out->form = SC_TOKEN_WORD;
	if (line->bytes && *line->text == '"') {
		out->form = SC_TOKEN_QUOTED;
		return take_enclosed(line, '"', &out->value) ? 1 : -1;
	}
	if (line->bytes && *line->text == '[') {
		out->form = SC_TOKEN_LIST;
		return take_enclosed(line, ']', &out->value) ? 1 : -1;
	}
	out->value = take_word(line);
	return 1;
}

bool sc_lex_element(struct sc_text_span *list, struct sc_text_span *out)
{
	size_t n = 0;

	while (list->bytes && (is_space(*list->text) || *list->text == ','))
		advance(list, 1);
	while (n < list->bytes && !is_space(list->text[n]) && list->text[n] != ',')
		n++;
	*out = (struct sc_text_span){list->text, n};
	advance(list, n);
	return n > 0;
}

bool sc_lex_split(struct sc_text_span *rest, char separator, struct sc_text_span *out)
{
	const char *at = rest->bytes ? memchr(rest->text, separator, rest->bytes) : NULL;
	size_t n = at ? (size_t)(at - rest->text) : rest->bytes;

	*out = (struct sc_text_span){rest->text, n};
	advance(rest, at ? n + 1 : n);
	return at != NULL;
}

bool sc_span_is(struct sc_text_span s, const char *text)
{
	return strlen(text) == s.bytes && !memcmp(s.text, text, s.bytes);
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

static unsigned suffix_shift(char c)
{
	switch (c) {
	case 'k': return 10;
	case 'm': return 20;
	case 'g': return 30;
	}
	return 0;
}

bool sc_lex_number(struct sc_text_span s, uint64_t *out)
{
	bool is_hex = s.bytes > 2 && s.text[0] == '0' && s.text[1] == 'x';
	uint64_t value = 0, base = is_hex ? 16 : 10;
	unsigned shift = 0;

	if (is_hex)
		advance(&s, 2);
	else if (s.bytes > 1 && (shift = suffix_shift(s.text[s.bytes - 1])))
		s.bytes--;
	if (!s.bytes)
		return 0;
	for (; s.bytes; advance(&s, 1)) {
		uint64_t digit = (uint64_t)digit_value(*s.text);

		if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return 0;
	}
	if (value > UINT64_MAX >> shift)
		return 0;
	*out = value << shift;
	return 1;
}

/* The character that the escape at the front stands for, taken off; -1 if it is malformed. */
static int take_escape(struct sc_text_span *s)
{
	int high, low;

	if (s->bytes < 2)
		return -1;
	advance(s, 1);
	switch (*s->text) {
	case 'n': advance(s, 1); return '\n';
	case 't': advance(s, 1); return '\t';
	case '"': advance(s, 1); return '"';
	case '\\': advance(s, 1); return '\\';
	case 'x': break;
	default: return -1;
	}
	if (s->bytes < 3)
		return -1;
	high = digit_value(s->text[1]);
	low = digit_value(s->text[2]);
	advance(s, 3);
	return high < 16 && low < 16 ? high << 4 | low : -1;
}

bool sc_lex_unquote(struct sc_text_span s, struct sc_buf *out)
{
	while (s.bytes) {
		int c = (unsigned char)*s.text;

		if (c == '\\')
			c = take_escape(&s);
		else
			advance(&s, 1);
		if (c < 0)
			return 0;
		sc_buf_add_char(out, (char)c);
	}
	return 1;
}

void sc_lex_quote(struct sc_buf *out, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			sc_buf_printf(out, "\\%c", c);
		else if (c == '\n')
			sc_buf_add(out, "\\n");
		else if (c == '\t')
			sc_buf_add(out, "\\t");
		else if (c < 0x20 || c >= 0x7f)
			sc_buf_printf(out, "\\x%02x", c);
		else
			sc_buf_add_char(out, (char)c);
	}
}

bool sc_lex_hex(struct sc_text_span s, struct sc_buf *out)
{
	if (s.bytes % 2)
		return 0;
	for (; s.bytes; advance(&s, 2)) {
		int high = digit_value(s.text[0]), low = digit_value(s.text[1]);

		if (high > 15 || low > 15)
			return 0;
		sc_buf_add_char(out, (char)(high << 4 | low));
	}
	return 1;
}

size_t sc_lex_name(struct sc_text_span s)
{
	size_t n = 0;

	while (n < s.bytes && (isalpha((unsigned char)s.text[n]) || s.text[n] == '_' ||
			       (n && (isdigit((unsigned char)s.text[n]) || s.text[n] == '.'))))
		n++;
	return n;
}
