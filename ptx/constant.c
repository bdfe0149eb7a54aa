/* Constant expressions: what stands for an integer, "2*(8+4)", "~0", "1<<4". */
#include "ptx/constant.h"

#include <string.h>

#define NESTING	 16
#define LOWEST	 1
#define OF_SUMS	 8
#define OF_TERMS 9

struct operation {
	const char *text;
	unsigned rank; /* of two the higher one binds */
};

/* Longer ones first. A '%' begins a name. */
static const struct operation operations[] = {
	{"<<", 7}, {">>", 7}, {"<=", 6}, {">=", 6}, {"==", 5},	    {"!=", 5},
	{"&&", 1}, {"||", 1}, {"*", 9},	 {"/", 9},  {"+", OF_SUMS}, {"-", 8},
	{"<", 6},  {">", 6},  {"&", 4},	 {"^", 3},  {"|", 2},
};

static int64_t read_from(struct sc_lexer *l, int64_t left, unsigned rank, unsigned depth);

bool sc_constant_begins(const struct sc_lexer *l)
{
	return l->kind == SC_TOKEN_INTEGER || sc_lexer_is_mark(l, '(') || sc_lexer_is_mark(l, '~');
}

static const struct operation *operation_at(const struct sc_lexer *l)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		size_t bytes = strlen(operations[i].text);

		if (l->kind == SC_TOKEN_MARK && (size_t)(l->end - l->text) >= bytes &&
		    !memcmp(l->text, operations[i].text, bytes))
			return &operations[i];
	}
	return NULL;
}

static int64_t divide(int64_t a, int64_t b)
{
	if (!b)
		return 0;
	return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static int64_t apply(const char *text, int64_t a, int64_t b)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (text[0] * 256 + text[1]) {
	case '<' * 256 + '<': return (int64_t)(y < 64 ? x << y : 0);
	case '>' * 256 + '>': return a >> (y < 63 ? y : 63);
	case '<' * 256 + '=': return a <= b;
	case '>' * 256 + '=': return a >= b;
	case '=' * 256 + '=': return a == b;
	case '!' * 256 + '=': return a != b;
	case '&' * 256 + '&': return a && b;
	case '|' * 256 + '|': return a || b;
	case '*' * 256: return (int64_t)(x * y);
	case '/' * 256: return divide(a, b);
	case '+' * 256: return (int64_t)(x + y);
	case '-' * 256: return (int64_t)(x - y);
	case '<' * 256: return a < b;
	case '>' * 256: return a > b;
	case '&' * 256: return (int64_t)(x & y);
	case '^' * 256: return (int64_t)(x ^ y);
	}
	return (int64_t)(x | y);
}

/* A number, one with a sign, or what is in parentheses; "(.s64)" changes nothing. */
static int64_t read_unary(struct sc_lexer *l, unsigned depth)
{
	int64_t value = l->kind == SC_TOKEN_INTEGER ? l->value : 0;

	if (depth < NESTING && sc_lexer_take(l, '-'))
		return (int64_t)(0 - (uint64_t)read_unary(l, depth + 1));
	if (depth < NESTING && sc_lexer_take(l, '+'))
		return read_unary(l, depth + 1);
	if (depth < NESTING && sc_lexer_take(l, '~'))
		return ~read_unary(l, depth + 1);
	if (depth < NESTING && sc_lexer_take(l, '!'))
		return !read_unary(l, depth + 1);
	if (depth < NESTING && sc_lexer_take(l, '(')) {
		bool is_type = l->kind == SC_TOKEN_DIRECTIVE;

		if (is_type)
			sc_lexer_next(l);
		else
			value = read_from(l, read_unary(l, depth + 1), LOWEST, depth + 1);
		sc_lexer_take(l, ')');
		return is_type ? read_unary(l, depth + 1) : value;
	}
	if (l->kind == SC_TOKEN_INTEGER)
		sc_lexer_next(l);
	return value;
}

static int64_t choose(struct sc_lexer *l, int64_t condition, unsigned depth)
{
	int64_t yes, no;

	yes = read_from(l, read_unary(l, depth + 1), LOWEST, depth + 1);
	sc_lexer_take(l, ':');
	no = read_from(l, read_unary(l, depth + 1), LOWEST, depth + 1);
	return condition ? yes : no;
}

/* What follows `left` with operations of at least that rank. */
static int64_t read_from(struct sc_lexer *l, int64_t left, unsigned rank, unsigned depth)
{
	const struct operation *o, *next;

	while ((o = operation_at(l)) && o->rank >= rank && depth < NESTING) {
		int64_t right;

		for (size_t i = 0; i < strlen(o->text); i++)
			sc_lexer_next(l);
		right = read_unary(l, depth + 1);
		next = operation_at(l);
		if (next && next->rank > o->rank)
			right = read_from(l, right, o->rank + 1, depth + 1);
		left = apply(o->text, left, right);
	}
	if (rank == LOWEST && depth < NESTING && sc_lexer_take(l, '?'))
		return choose(l, left, depth);
	return left;
}

static int64_t read_ranked(struct sc_lexer *l, bool minus, unsigned rank)
{
	int64_t first = read_unary(l, 0);

	return read_from(l, minus ? (int64_t)(0 - (uint64_t)first) : first, rank, 0);
}

int64_t sc_constant_read(struct sc_lexer *l, bool minus)
{
	return read_ranked(l, minus, LOWEST);
}

int64_t sc_constant_read_term(struct sc_lexer *l, bool minus)
{
	return read_ranked(l, minus, OF_TERMS);
}
