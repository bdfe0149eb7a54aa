/* Declarations cut into words; formulas by precedence, into postfix steps. */
#include "analyzer/declare/declaration_lexer.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MOST 16 /* of parentheses */

void sc_declaration_lexer_init(struct sc_declaration_lexer *l, const char *name, const char *text,
			       size_t text_bytes, char *message, size_t message_bytes)
{
	*l = (struct sc_declaration_lexer){.name = name,
					   .next = text,
					   .end = text + text_bytes,
					   .next_line = 1,
					   .message = message,
					   .message_bytes = message_bytes};
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static void skip_space(struct sc_declaration_lexer *l)
{
	while (l->at < l->line_end && is_space(*l->at))
		l->at++;
}

bool sc_declaration_next_line(struct sc_declaration_lexer *l)
{
	const char *at = l->next;
	bool is_comment;

	if (at >= l->end)
		return 0;
	l->line = l->next_line;
	l->at = at;
	while (at < l->end && is_space(*at))
		at++;
	is_comment = at < l->end && *at == '#';
	while (at < l->end && *at != '\n' && (is_comment || *at != ';'))
		at++;
	l->line_end = is_comment ? l->at : at;
	l->next_line += at < l->end && *at == '\n';
	l->next = at < l->end ? at + 1 : at;
	return 1;
}

bool sc_declaration_fail(struct sc_declaration_lexer *l, const char *what)
{
	if (l->message_bytes && !*l->message)
		snprintf(l->message, l->message_bytes, "%s:%u: %s", l->name, l->line, what);
	return 0;
}

bool sc_declaration_at_end(struct sc_declaration_lexer *l)
{
	skip_space(l);
	return l->at == l->line_end;
}

bool sc_declaration_take(struct sc_declaration_lexer *l, const char *word)
{
	size_t bytes = strlen(word);

	skip_space(l);
	if ((size_t)(l->line_end - l->at) < bytes || memcmp(l->at, word, bytes))
		return 0;
	if (is_word(*word) && l->at + bytes < l->line_end && is_word(l->at[bytes]))
		return 0;
	l->at += bytes;
	return 1;
}

const char *sc_declaration_rest(struct sc_declaration_lexer *l, size_t *bytes)
{
	const char *end = l->line_end;

	skip_space(l);
	while (end > l->at && is_space(end[-1]))
		end--;
	*bytes = (size_t)(end - l->at);
	end = l->at;
	l->at = l->line_end;
	return end;
}

bool sc_declaration_number(struct sc_declaration_lexer *l, int64_t *value)
{
	const char *at;

	skip_space(l);
	*value = 0;
	for (at = l->at; at < l->line_end && isdigit((unsigned char)*at); at++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, *at - '0', value))
			return sc_declaration_fail(l, "a number is too large");
	if (at == l->at)
		return 0;
	l->at = at;
	return 1;
}

bool sc_declaration_argument(struct sc_declaration_lexer *l, int64_t *value)
{
	skip_space(l);
	if (l->line_end - l->at < 4 || memcmp(l->at, "arg", 3))
		return 0;
	l->at += 3;
	return sc_declaration_number(l, value);
}

/* ---- formulas ---- */

struct formula {
	struct sc_declaration_lexer *l;
	struct sc_formula_step steps[SC_FORMULA_STEPS];
	uint32_t count;
	unsigned depth;
};

static bool add_step(struct formula *f, unsigned kind, unsigned bytes, int64_t value)
{
	if (f->count == SC_FORMULA_STEPS)
		return sc_declaration_fail(f->l, "a formula is too long");
	f->steps[f->count++] = (struct sc_formula_step){(uint8_t)kind, (uint8_t)bytes, value};
	return 1;
}

static bool read_sum(struct formula *f);

static bool read_group(struct formula *f)
{
	bool ok;

	if (++f->depth > DEPTH_MOST)
		return sc_declaration_fail(f->l, "parentheses are nested too deeply");
	ok = read_sum(f) &&
	     (sc_declaration_take(f->l, ")") || sc_declaration_fail(f->l, "a ')' is missing"));
	f->depth--;
	return ok;
}

/* @OFFSET:BYTES */
static bool read_field(struct formula *f)
{
	int64_t offset, bytes;

	if (!sc_declaration_number(f->l, &offset) || !sc_declaration_take(f->l, ":") ||
	    !sc_declaration_number(f->l, &bytes) ||
	    (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
		return sc_declaration_fail(f->l,
					   "expected a field of the parameters: @OFFSET:BYTES");
	return add_step(f, SC_FORMULA_FIELD, (unsigned)bytes, offset);
}

static bool read_value(struct formula *f)
{
	static const char *const shapes[] = {"grid.x",	"grid.y",  "grid.z",
					     "block.x", "block.y", "block.z"};
	int64_t value;

	if (sc_declaration_take(f->l, "("))
		return read_group(f);
	if (sc_declaration_take(f->l, "@"))
		return read_field(f);
	for (unsigned i = 0; i < 6; i++)
		if (sc_declaration_take(f->l, shapes[i]))
			return add_step(f, i < 3 ? SC_FORMULA_GRID : SC_FORMULA_BLOCK, 0, i % 3);
	if (sc_declaration_argument(f->l, &value))
		return add_step(f, SC_FORMULA_ARGUMENT, 0, value);
	if (sc_declaration_number(f->l, &value))
		return add_step(f, SC_FORMULA_NUMBER, 0, value);
	return sc_declaration_fail(f->l,
				   "expected a number, argN, @OFFSET:BYTES, grid.x or block.x");
}

static bool read_product(struct formula *f)
{
	static const struct {
		const char *mark;
		uint8_t kind;
	} operators[] = {
		{"*", SC_FORMULA_MULTIPLY}, {"/", SC_FORMULA_DIVIDE}, {"%", SC_FORMULA_REMAINDER}};
	unsigned i = 0;

	if (!read_value(f))
		return 0;
	while (i < 3) {
		if (!sc_declaration_take(f->l, operators[i].mark)) {
			i++;
			continue;
		}
		if (!read_value(f) || !add_step(f, operators[i].kind, 0, 0))
			return 0;
		i = 0;
	}
	return 1;
}

static bool read_sum(struct formula *f)
{
	if (!read_product(f))
		return 0;
	for (;;) {
		bool is_plus = sc_declaration_take(f->l, "+");

		if (!is_plus && !sc_declaration_take(f->l, "-"))
			return 1;
		if (!read_product(f) ||
		    !add_step(f, is_plus ? SC_FORMULA_ADD : SC_FORMULA_SUBTRACT, 0, 0))
			return 0;
	}
}

bool sc_declaration_formula(struct sc_declaration_lexer *l, struct sc_arena *arena,
			    struct sc_formula *out)
{
	struct formula f = {.l = l};

	if (!read_sum(&f))
		return 0;
	out->steps = sc_arena_xcopy(arena, f.steps, f.count * sizeof(*f.steps));
	out->count = f.count;
	return 1;
}
