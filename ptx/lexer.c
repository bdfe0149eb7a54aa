/* The PTX lexer: cuts PTX text into tokens, one at a time, never past the end of the text. */
#include "ptx/lexer.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool starts_word(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static inline bool in_word(const struct sc_lexer *l, const char *p)
{
	static const bool always[256] = {
		['a' ... 'z'] = 1, ['A' ... 'Z'] = 1, ['0' ... '9'] = 1,
		['_'] = 1,	   ['$'] = 1,	      ['.'] = 1,
	};

	if (always[(unsigned char)*p])
		return 1;
	return *p == ':' && ((p + 1 < l->end && p[1] == ':') || (p > l->text && p[-1] == ':'));
}

static bool skip_comment(struct sc_lexer *l)
{
	if (l->end - l->at < 2 || l->at[0] != '/')
		return 0;
	if (l->at[1] == '/') {
		while (l->at < l->end && *l->at != '\n')
			l->at++;
		return 1;
	}
	if (l->at[1] != '*')
		return 0;
	for (l->at += 2; l->at < l->end; l->at++) {
		if (*l->at == '\n')
			l->line++;
		if (l->end - l->at >= 2 && l->at[0] == '*' && l->at[1] == '/') {
			l->at += 2;
			return 1;
		}
	}
	return 1;
}

static void skip_space(struct sc_lexer *l)
{
	while (l->at < l->end) {
		if (*l->at == '\n')
			l->line++;
		if (isspace((unsigned char)*l->at) || !*l->at)
			l->at++;
		else if (!skip_comment(l))
			return;
	}
}

static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a' + 10);
	return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10) : 99;
}

static void take_digits(struct sc_lexer *l, unsigned base)
{
	uint64_t value = 0;

	while (l->at < l->end && digit_value(*l->at) < base)
		value = value * base + digit_value(*l->at++);
	l->value = (int64_t)value;
}

/* 0f3F800000, 0d…: the bits of a floating-point number, kept as its value. */
static bool take_float_bits(struct sc_lexer *l)
{
	if (l->end - l->at < 3 || l->at[0] != '0' || !strchr("fFdD", l->at[1]) || !l->at[1])
		return 0;
	l->kind = SC_TOKEN_FLOAT;
	l->is_single = l->at[1] == 'f' || l->at[1] == 'F';
	l->at += 2;
	take_digits(l, 16);
	return 1;
}

/* The rest of 1.5e-3; a number of more digits than fit is read from those that do. */
static void take_decimal(struct sc_lexer *l)
{
	char copy[64];
	double number;
	size_t bytes;

	l->kind = SC_TOKEN_FLOAT;
	while (l->at < l->end &&
	       (isalnum((unsigned char)*l->at) || *l->at == '.' ||
		((*l->at == '-' || *l->at == '+') && (l->at[-1] == 'e' || l->at[-1] == 'E'))))
		l->at++;
	bytes = (size_t)(l->at - l->text);
	bytes = bytes < sizeof(copy) ? bytes : sizeof(copy) - 1;
	memcpy(copy, l->text, bytes);
	copy[bytes] = 0;
	number = strtod(copy, NULL);
	memcpy(&l->value, &number, sizeof(number));
}

static unsigned take_base(struct sc_lexer *l)
{
	if (l->end - l->at < 2 || l->at[0] != '0')
		return 10;
	if (l->at[1] == 'x' || l->at[1] == 'X' || l->at[1] == 'b' || l->at[1] == 'B') {
		l->at += 2;
		return l->at[-1] == 'x' || l->at[-1] == 'X' ? 16 : 2;
	}
	return isdigit((unsigned char)l->at[1]) ? 8 : 10;
}

static void take_number(struct sc_lexer *l)
{
	l->kind = SC_TOKEN_INTEGER;
	if (take_float_bits(l))
		return;
	take_digits(l, take_base(l));
	if (l->at < l->end && *l->at == 'U')
		l->at++;
	if (l->at < l->end && (*l->at == '.' || *l->at == 'e' || *l->at == 'E'))
		take_decimal(l);
}

static void take_string(struct sc_lexer *l)
{
	l->kind = SC_TOKEN_STRING;
	l->at++;
	while (l->at < l->end && *l->at != '"' && *l->at != '\n')
		l->at++;
	if (l->at < l->end && *l->at == '"')
		l->at++;
}

void sc_lexer_next(struct sc_lexer *l)
{
	skip_space(l);
	l->text = l->at;
	l->value = 0;
	l->is_single = 0;
	if (l->at == l->end) {
		l->kind = SC_TOKEN_END;
	} else if (starts_word(*l->at)) {
		l->kind = SC_TOKEN_WORD;
		for (l->at++; l->at < l->end && in_word(l, l->at);) /* '%' begins a word only */
			l->at++;
	} else if (*l->at == '.' && l->end - l->at > 1 && starts_word(l->at[1])) {
		l->kind = SC_TOKEN_DIRECTIVE;
		for (l->at++; l->at < l->end && *l->at != '.' && in_word(l, l->at);)
			l->at++;
	} else if (isdigit((unsigned char)*l->at)) {
		take_number(l);
	} else if (*l->at == '"') {
		take_string(l);
	} else {
		l->kind = SC_TOKEN_MARK;
		l->at++;
	}
	l->bytes = (size_t)(l->at - l->text);
}

void sc_lexer_init(struct sc_lexer *l, const char *text, size_t bytes)
{
	*l = (struct sc_lexer){.at = text, .end = text + bytes, .line = 1};
	sc_lexer_next(l);
}

void sc_lexer_skip_line(struct sc_lexer *l)
{
	l->at = l->text;
	while (l->at < l->end && *l->at != '\n')
		l->at++;
	sc_lexer_next(l);
}

/* Goes to the next of "/{}, or to the end. Sixteen bytes at a time where none of them is. */
static void skip_plain(struct sc_lexer *l)
{
	static const bool counts[256] = {['"'] = 1, ['/'] = 1, ['{'] = 1, ['}'] = 1};
	typedef int8_t piece __attribute__((vector_size(16)));

	while ((size_t)(l->end - l->at) >= sizeof(piece)) {
		uint64_t odd[2], ends[2];
		piece p, any, newline;

		memcpy(&p, l->at, sizeof(p));
		any = (p == '"') | (p == '/') | (p == '{') | (p == '}');
		newline = (p == '\n') & 1;
		memcpy(odd, &any, sizeof(odd));
		memcpy(ends, &newline, sizeof(ends));
		if (odd[0] | odd[1])
			break;
		l->line += (uint32_t)((ends[0] + ends[1]) * UINT64_C(0x0101010101010101) >> 56);
		l->at += sizeof(piece);
	}
	for (; l->at < l->end && !counts[(unsigned char)*l->at]; l->at++)
		l->line += *l->at == '\n';
}

const char *sc_lexer_skip_block(struct sc_lexer *l)
{
	const char *end;
	size_t depth = 1;

	while (depth && l->at < l->end) {
		skip_plain(l);
		if (l->at == l->end)
			break;
		switch (*l->at) {
		case '"': take_string(l); continue;
		case '/':
			if (skip_comment(l))
				continue;
			break;
		case '{': depth++; break;
		case '}': depth--; break;
		}
		l->at++;
	}
	end = l->at;
	sc_lexer_next(l);
	return end;
}

bool sc_lexer_is_mark(const struct sc_lexer *l, char mark)
{
	return l->kind == SC_TOKEN_MARK && *l->text == mark;
}

bool sc_lexer_is_text(const struct sc_lexer *l, const char *text)
{
	return (l->kind == SC_TOKEN_WORD || l->kind == SC_TOKEN_DIRECTIVE) && *text == *l->text &&
	       !strncmp(text, l->text, l->bytes) && !text[l->bytes];
}

bool sc_lexer_take(struct sc_lexer *l, char mark)
{
	if (!sc_lexer_is_mark(l, mark))
		return 0;
	sc_lexer_next(l);
	return 1;
}
