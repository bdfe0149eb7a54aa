/* Short names: long names of C++ functions as people say them. */
#include "reports/words/short_name.h"

#include <stdbool.h>
#include <string.h>

#define ARGUMENTS_KEPT 16 /* bytes of template arguments that say something */
#define NO_NAMESPACE   "(anonymous namespace)"
#define OPERATOR       "operator"
#define TAG	       "[abi:" /* of the versions of one function, up to the next bracket */
#define SIGNS	       "<>=-*!&|+,~^%/" /* of operators */

/* The name of a demangled function on its way from `at` into `out`. */
struct short_name {
	const char *at;
	struct sc_buf *out;
	size_t start;	    /* where the name begins in out */
	bool has_ended;	    /* its arguments have been seen */
	bool is_conversion; /* operator unsigned int: the words after it belong to the name */
};

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static size_t written(const struct short_name *b)
{
	return b->out->bytes - b->start;
}

static bool ends_with(const struct short_name *b, const char *word)
{
	size_t bytes = strlen(word);

	return written(b) >= bytes && !memcmp(b->out->text + b->out->bytes - bytes, word, bytes);
}

/* Whether the word "operator" was written last, and not my_operator. */
static bool is_after_operator(const struct short_name *b)
{
	size_t bytes = strlen(OPERATOR);

	return ends_with(b, OPERATOR) &&
	       (written(b) == bytes || b->out->text[b->out->bytes - bytes - 1] == ':');
}

/* The byte after the bracket that closes the bracket at `open`, or NULL; "->" and "<<" close
 * nothing. */
static const char *after_bracket(const char *open)
{
	int depth = 0;

	for (const char *c = open; *c; c++) {
		if (begins(c, "->") || begins(c, OPERATOR "<") || begins(c, OPERATOR ">"))
			c += *c == '-' ? 1 : strlen(OPERATOR);
		else if (strchr("(<{[", *c))
			depth++;
		else if (strchr(")>}]", *c) && !--depth)
			return c + 1;
	}
	return NULL;
}

/* operator(), operator<, operator->…: signs that are no brackets; "< <" has a space between. */
static void take_operator(struct short_name *b)
{
	size_t bytes = begins(b->at, "()") ? 2 : strspn(b->at, SIGNS);

	if (begins(b->at + bytes, " <"))
		bytes++;
	sc_buf_add_bytes(b->out, b->at, bytes);
	b->at += bytes;
}

static void take_template(struct short_name *b, const char *end)
{
	if (end - b->at <= ARGUMENTS_KEPT)
		sc_buf_add_bytes(b->out, b->at, (size_t)(end - b->at));
	else
		sc_buf_add(b->out, "<…>");
	b->at = end;
}

/* {lambda(long, long)#1} is {lambda#1}. */
static void take_lambda(struct short_name *b, const char *end)
{
	for (const char *c = b->at; c < end;) {
		const char *after = *c == '(' ? after_bracket(c) : NULL;

		if (after && after < end)
			c = after;
		else
			sc_buf_add_char(b->out, *c++);
	}
	b->at = end;
}

static void take_arguments(struct short_name *b, const char *end)
{
	bool is_namespace = begins(b->at, NO_NAMESPACE);

	b->at = end;
	if (is_namespace && begins(end, "::"))
		b->at += 2;
	b->has_ended |= !is_namespace;
	b->is_conversion = 0;
}

/* What stood before the space was the result's type, unless the name is over. Returns whether the
 * name goes on. */
static bool take_space(struct short_name *b)
{
	const char *next = b->at + 1;

	if (b->has_ended &&
	    (begins(next, "const") || begins(next, "volatile") || *next == '&' || *next == '['))
		return 0;
	b->at++;
	b->is_conversion |= is_after_operator(b);
	if (b->is_conversion) {
		sc_buf_add_char(b->out, ' ');
		return 1;
	}
	b->out->bytes = b->start;
	b->has_ended = 0;
	return 1;
}

/* Takes the next piece; false at the end, or where brackets do not match. */
static bool take_piece(struct short_name *b)
{
	const char *end;

	if (!*b->at)
		return 0;
	if (*b->at == ' ')
		return take_space(b);
	if (is_after_operator(b) && (begins(b->at, "()") || strchr(SIGNS, *b->at))) {
		take_operator(b);
		return 1;
	}
	if (!strchr("(<{", *b->at)) {
		sc_buf_add_char(b->out, *b->at++);
		return 1;
	}
	end = after_bracket(b->at);
	if (!end)
		return 0;
	if (*b->at == '(')
		take_arguments(b, end);
	else if (*b->at == '<')
		take_template(b, end);
	else
		take_lambda(b, end);
	return 1;
}

/* Shortens a name without tags. */
static void add_untagged(struct sc_buf *out, const char *name)
{
	struct short_name b = {.at = name, .out = out, .start = out->bytes};

	if (strlen(name) > SC_SHORT_NAME_KEEP) {
		while (take_piece(&b))
			;
		if (written(&b) && (!*b.at || b.has_ended)) {
			out->text[out->bytes] = '\0';
			return;
		}
		out->bytes = b.start;
	}
	sc_buf_add(out, name);
}

void sc_short_name_add(struct sc_buf *out, const char *name)
{
	struct sc_buf plain = {0};
	const char *tag, *end;

	for (const char *at = name;; at = end + 1) {
		tag = strstr(at, TAG);
		end = tag ? strchr(tag, ']') : NULL;
		if (!end) {
			sc_buf_add(&plain, at);
			break;
		}
		sc_buf_add_bytes(&plain, at, (size_t)(tag - at));
	}
	add_untagged(out, plain.bytes ? plain.text : name);
	sc_buf_fini(&plain);
}
