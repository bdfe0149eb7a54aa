/* The device's printf: its conversions are those of C, cut into one call of snprintf each. */
#include "simulator/executor/print.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SPEC_MOST  64
#define FIELD_MOST 4096 /* of a width or a precision */

/* One conversion, of which width and precision are already numbers. */
struct conversion {
	char spec[SPEC_MOST]; /* "%-8.3" and perhaps "ll", without the letter */
	size_t bytes;
	unsigned wide; /* bytes of an integer */
	char type;
};

static void put(struct exec_print *p, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes && p->text.count < EXEC_PRINT_MOST; i++)
		sc_vector_push(&p->text, text[i]);
}

/* The next argument; false: there may be no more, or its memory cannot be read. */
static bool take(struct exec_print *p, unsigned bytes, uint64_t *value)
{
	uint64_t at = (p->offset + bytes - 1) / bytes * bytes;

	*value = 0;
	if (p->result == EXEC_PRINT_ARGUMENTS ||
	    !p->read(p->context, p->argument + at, value, bytes))
		return 0;
	p->result++;
	p->offset = at + bytes;
	return 1;
}

static void add(struct conversion *c, const char *text)
{
	size_t bytes = strlen(text);

	if (c->bytes + bytes >= SPEC_MOST)
		return;
	memcpy(c->spec + c->bytes, text, bytes + 1);
	c->bytes += bytes;
}

/* A width or precision, if there is one; the character after it. A device takes none from the
 * arguments ("%*d"). */
static const char *read_number(const char *at, struct conversion *c)
{
	int number = 0;
	char digits[16];

	if (!isdigit((unsigned char)*at))
		return at;
	for (; isdigit((unsigned char)*at); at++)
		number = number < FIELD_MOST ? number * 10 + (*at - '0') : FIELD_MOST;
	snprintf(digits, sizeof(digits), "%d", number < FIELD_MOST ? number : FIELD_MOST);
	add(c, digits);
	return at;
}

/* Up to the letter; NULL: it is none. */
static const char *read_conversion(const char *at, struct conversion *c)
{
	*c = (struct conversion){.spec = "%", .bytes = 1, .wide = 4};
	for (; *at && strchr("-+ #0", *at); at++)
		if (!strchr(c->spec, *at))
			add(c, (char[]){*at, 0});
	at = read_number(at, c);
	if (*at == '.') {
		add(c, ".");
		at = read_number(at + 1, c);
	}
	for (; *at && strchr("hljzt", *at); at++) {
		if (*at != 'h')
			c->wide = 8;
		else
			c->wide = c->wide == 2 ? 1 : 2;
	}
	c->type = *at;
	return *at && strchr("diouxXcspeEfFgGaA", *at) ? at + 1 : NULL;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* Formats one value; the result of snprintf decides how much room it needs. */
#define PUT_VALUE(p, c, value)                                                    \
	do {                                                                      \
		int length_ = snprintf(NULL, 0, (c)->spec, (value));              \
		char *room_ = length_ > 0 ? malloc((size_t)length_ + 1) : NULL;   \
		if (room_) {                                                      \
			snprintf(room_, (size_t)length_ + 1, (c)->spec, (value)); \
			put(p, room_, (size_t)length_);                           \
		}                                                                 \
		free(room_);                                                      \
	} while (0)

static bool put_string(struct exec_print *p, const struct conversion *c, uint64_t address)
{
	SC_VECTOR(char) text = {0};
	char byte;
	bool ok;

	while ((ok = p->read(p->context, address + text.count, &byte, 1)) && byte &&
	       text.count < EXEC_PRINT_MOST)
		sc_vector_push(&text, byte);
	sc_vector_push(&text, 0);
	if (ok)
		PUT_VALUE(p, c, text.items);
	sc_vector_fini(&text);
	return ok;
}

/* An integer as its length modifier cuts it. */
static uint64_t cut(const struct conversion *c, uint64_t value)
{
	unsigned unused = 64 - 8 * c->wide;

	if (c->type == 'd' || c->type == 'i')
		return (uint64_t)((int64_t)(value << unused) >> unused);
	return value << unused >> unused;
}

static bool put_value(struct exec_print *p, struct conversion *c)
{
	bool is_integer = strchr("diouxX", c->type) != NULL, is_char = c->type == 'c';
	unsigned bytes = (is_integer && c->wide <= 4) || is_char ? 4 : 8;
	uint64_t value;
	double number;

	if (!take(p, bytes, &value))
		return 0;
	if (is_integer)
		add(c, "ll");
	add(c, (char[]){c->type, 0});
	memcpy(&number, &value, sizeof(number));
	if (is_integer)
		PUT_VALUE(p, c, (long long)cut(c, value));
	else if (is_char)
		PUT_VALUE(p, c, (int)value);
	else if (c->type == 'p')
		PUT_VALUE(p, c, (void *)(uintptr_t)value);
	else if (c->type != 's')
		PUT_VALUE(p, c, number);
	else if (value)
		return put_string(p, c, value);
	else
		PUT_VALUE(p, c, "(null)");
	return 1;
}
#pragma GCC diagnostic pop

/* One conversion at a '%'; the character after it. What is none is printed as it is. */
static const char *put_conversion(struct exec_print *p, const char *at)
{
	struct conversion c;
	const char *end;

	if (at[1] == '%') {
		put(p, at, 1);
		return at + 2;
	}
	end = read_conversion(at + 1, &c);
	if (end && put_value(p, &c))
		return end;
	put(p, at, 1);
	return at + 1;
}

void exec_print(struct exec_print *p, uint64_t format, uint64_t arguments)
{
	SC_VECTOR(char) text = {0};
	const char *at;
	char byte = 0;

	p->argument = arguments;
	p->result = format ? 0 : -1;
	while (format && text.count < EXEC_PRINT_MOST &&
	       p->read(p->context, format + text.count, &byte, 1) && byte)
		sc_vector_push(&text, byte);
	sc_vector_push(&text, 0);
	for (at = text.items; *at;)
		if (*at == '%')
			at = put_conversion(p, at);
		else
			put(p, at++, 1);
	sc_vector_fini(&text);
}

void exec_print_fini(struct exec_print *p)
{
	sc_vector_fini(&p->text);
}
