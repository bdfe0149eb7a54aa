/* Formats of printf: the kinds of all arguments first, then the arguments in turn. */
#include "interposer/libc/format.h"

#include <string.h>

enum kind { WORD, STRING, DOUBLE, LONG_DOUBLE };

struct argument {
	uint8_t kind;
	uint8_t limited_by; /* of a string: number + 1 of the argument that limits it */
	uint32_t most;	    /* bytes that are read; UINT32_MAX: no limit is written there */
};

struct parser {
	const char *at;
	uint32_t next, count; /* argument that has its turn, arguments that are known */
	struct argument argument[SC_FORMAT_MOST]; /* those below `count` */
};

/* ---- the format ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static uint32_t number(const char **at)
{
	uint32_t value = 0;

	for (; is_digit(**at); ++*at)
		value = value < 100000000 ? value * 10 + (uint32_t)(**at - '0') : value;
	return value;
}

/* The position before a '$', from 1; 0: there is none, and nothing was read. */
static uint32_t position(struct parser *p)
{
	const char *at = p->at;
	uint32_t value = number(&at);

	if (*at != '$' || !value)
		return 0;
	p->at = at + 1;
	return value;
}

/* Notes an argument; returns its number + 1, or 0 if it is not kept. */
static uint8_t take(struct parser *p, uint32_t place, struct argument argument)
{
	uint32_t index = place ? place - 1 : p->next++;

	if (index >= SC_FORMAT_MOST)
		return 0;
	while (p->count <= index)
		p->argument[p->count++] = (struct argument){.kind = WORD};
	p->argument[index] = argument;
	return (uint8_t)(index + 1);
}

/* A width, or what follows the dot; true if it is an argument, whose number goes to *from. */
static bool star(struct parser *p, uint8_t *from)
{
	if (*p->at != '*')
		return false;
	p->at++;
	*from = take(p, position(p), (struct argument){.kind = WORD});
	return true;
}

static void precision(struct parser *p, struct argument *a)
{
	if (*p->at != '.')
		return;
	p->at++;
	if (!star(p, &a->limited_by))
		a->most = number(&p->at);
}

/* The kind of a conversion; -1: unknown. */
static int kind_of(char conversion, const char *size, uint32_t length)
{
	bool is_long =
		memchr(size, 'l', length) || memchr(size, 'L', length) || memchr(size, 'q', length);

	if (conversion == 's')
		return is_long ? WORD : STRING; /* wide ones are converted first */
	if (conversion && strchr("diouxXbBcCSpn", conversion))
		return WORD;
	if (conversion && strchr("eEfFgGaA", conversion))
		return memchr(size, 'L', length) ? LONG_DOUBLE : DOUBLE;
	return -1;
}

/* After a '%'. False: no more can be known. */
static bool conversion(struct parser *p)
{
	struct argument a = {.most = UINT32_MAX};
	uint32_t place = position(p);
	uint8_t width;
	const char *size;
	int kind;

	p->at += strspn(p->at, "-+ #0'I");
	if (!star(p, &width))
		number(&p->at);
	precision(p, &a);
	size = p->at;
	p->at += strspn(p->at, "hlqLjzZt");
	if (*p->at == '%' || *p->at == 'm') {
		p->at++;
		return true;
	}
	kind = kind_of(*p->at, size, (uint32_t)(p->at - size));
	if (kind < 0)
		return false;
	p->at++;
	a.kind = (uint8_t)kind;
	take(p, place, a);
	return true;
}

static void parse(struct parser *p)
{
	while ((p->at = strchr(p->at, '%'))) {
		p->at++;
		if (!conversion(p))
			return;
	}
}

/* ---- the arguments ---- */

/* A negative precision is none. */
static uint64_t most_of(const struct argument *a, const uint64_t *words, uint32_t index)
{
	uint32_t from = a->limited_by;

	if (!from)
		return a->most == UINT32_MAX ? UINT64_MAX : a->most;
	if (from > index || (int32_t)words[from - 1] < 0)
		return UINT64_MAX;
	return (uint32_t)words[from - 1];
}

void sc_format_each_string(const char *format, struct sc_arguments arguments,
			   sc_format_string string, void *context)
{
	struct parser p;
	uint64_t words[SC_FORMAT_MOST];

	p.at = format;
	p.next = p.count = 0;
	parse(&p);
	for (uint32_t i = 0; i < p.count; i++) {
		const struct argument *a = &p.argument[i];

		words[i] = 0;
		if (a->kind == DOUBLE || a->kind == LONG_DOUBLE)
			sc_arguments_skip_number(&arguments, a->kind == LONG_DOUBLE);
		else
			words[i] = sc_arguments_word(&arguments);
		if (a->kind == STRING && words[i])
			string(context, words[i], most_of(a, words, i));
	}
}
