/* PTX without names: a text goes through token by token, a statement a line. */
#include "extensions/anonymize/ptx.h"

#include <stdbool.h>
#include <string.h>
#include "ptx/lexer.h"

struct filter {
	struct sc_lexer lexer;
	struct sc_private_names *names;
	struct sc_buf *out;
	size_t begin;	  /* of the statement, in out */
	unsigned list;	  /* depth of braces that are no block */
	bool is_at_start; /* of a statement */
	bool is_function; /* the statement declares one */
	bool is_entry;	  /* a kernel, whose name is not there yet */
	bool is_pragma;
};

static void begin_statement(struct filter *f)
{
	f->is_at_start = 1;
	f->is_function = f->is_entry = f->is_pragma = 0;
	f->list = 0;
	f->begin = f->out->bytes;
}

static void end_statement(struct filter *f)
{
	sc_buf_add_char(f->out, '\n');
	begin_statement(f);
}

static void add(struct filter *f, const char *text, size_t bytes)
{
	sc_buf_add_bytes(f->out, text, bytes);
	sc_buf_add_char(f->out, ' ');
}

/* Registers, and names that mean something whoever writes them. */
static bool is_known(const struct sc_lexer *l)
{
	static const char *const known[] = {
#define EXTERNAL(name, kind) name,
#include "footprint/external.def"
#undef EXTERNAL
		"_", "WARP_SZ", "generic"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (sc_lexer_is_text(l, known[i]))
			return 1;
	return *l->text == '%';
}

/* Whether a name is that of a kernel of the trace. */
static bool is_wanted(const char *name)
{
	return !strncmp(name, "kernel_", 7) || !strncmp(name, "ncclKernel_", 11);
}

/* The kernel that a statement begins, and its code, are not there. */
static void drop_function(struct filter *f)
{
	struct sc_lexer *l = &f->lexer;

	f->out->bytes = f->begin;
	while (l->kind != SC_TOKEN_END && !sc_lexer_is_mark(l, '{') && !sc_lexer_is_mark(l, ';'))
		sc_lexer_next(l);
	if (sc_lexer_is_mark(l, '{'))
		sc_lexer_skip_block(l);
	else
		sc_lexer_next(l);
	begin_statement(f);
}

/* What stands after a dot in an operand is a part of what has the name. */
static void take_name(struct filter *f)
{
	struct sc_lexer *l = &f->lexer;
	const char *dot = memchr(l->text, '.', l->bytes);
	size_t bytes = dot ? (size_t)(dot - l->text) : l->bytes;
	char name[SC_PRIVATE_NAME];

	if (is_known(l)) {
		add(f, l->text, l->bytes);
	} else {
		sc_private_name(f->names, SC_PRIVATE_SYMBOL, l->text, bytes, name);
		if (f->is_entry && !is_wanted(name)) {
			drop_function(f);
			return;
		}
		sc_buf_add(f->out, name);
		add(f, l->text + bytes, l->bytes - bytes);
	}
	f->is_entry = 0;
	sc_lexer_next(l);
}

static void take_word(struct filter *f)
{
	struct sc_lexer ahead = f->lexer;
	bool was_at_start = f->is_at_start;

	sc_lexer_next(&ahead);
	f->is_at_start = 0;
	if (!was_at_start || sc_lexer_is_mark(&ahead, ':')) {
		take_name(f);
		return;
	}
	add(f, f->lexer.text, f->lexer.bytes); /* an opcode */
	sc_lexer_next(&f->lexer);
}

/* A line that ends without a mark. */
static void take_head(struct filter *f)
{
	uint32_t line = f->lexer.line;

	for (; f->lexer.kind != SC_TOKEN_END && f->lexer.line == line; sc_lexer_next(&f->lexer))
		if (f->lexer.kind != SC_TOKEN_STRING)
			add(f, f->lexer.text, f->lexer.bytes);
	end_statement(f);
}

static void skip_section(struct sc_lexer *l)
{
	while (l->kind != SC_TOKEN_END && !sc_lexer_is_mark(l, '{'))
		sc_lexer_next(l);
	if (l->kind != SC_TOKEN_END)
		sc_lexer_skip_block(l);
}

static void take_directive(struct filter *f)
{
	struct sc_lexer *l = &f->lexer;

	if (sc_lexer_is_text(l, ".loc") || sc_lexer_is_text(l, ".file")) {
		sc_lexer_skip_line(l);
		return;
	}
	if (sc_lexer_is_text(l, ".section")) {
		skip_section(l);
		return;
	}
	if (sc_lexer_is_text(l, ".version") || sc_lexer_is_text(l, ".target") ||
	    sc_lexer_is_text(l, ".address_size")) {
		take_head(f);
		return;
	}
	f->is_entry |= sc_lexer_is_text(l, ".entry");
	f->is_function |= f->is_entry || sc_lexer_is_text(l, ".func");
	f->is_pragma |= sc_lexer_is_text(l, ".pragma");
	f->is_at_start = 0;
	add(f, l->text, l->bytes);
	sc_lexer_next(l);
}

/* Values of variables before the first launch. */
static void skip_initial(struct sc_lexer *l)
{
	while (l->kind != SC_TOKEN_END && !sc_lexer_is_mark(l, ';'))
		sc_lexer_next(l);
}

static void take_brace(struct filter *f, bool opens)
{
	bool is_block = !f->list && (opens ? f->is_at_start || f->is_function : f->is_at_start);

	if (is_block) {
		end_statement(f);
		return;
	}
	f->list += opens;
	f->list -= !opens && f->list;
}

static void take_mark(struct filter *f)
{
	struct sc_lexer *l = &f->lexer;
	char mark = *l->text;

	if (mark == '=' && !f->is_at_start) {
		skip_initial(l);
		return;
	}
	add(f, l->text, l->bytes);
	sc_lexer_next(l);
	switch (mark) {
	case '@': /* the guard of an instruction */
		if (sc_lexer_is_mark(l, '!')) {
			add(f, "!", 1);
			sc_lexer_next(l);
		}
		take_name(f);
		break;
	case '{':
	case '}': take_brace(f, mark == '{'); break;
	case ';':
	case ':': end_statement(f); break;
	default: f->is_at_start = 0;
	}
}

static void take_token(struct filter *f)
{
	struct sc_lexer *l = &f->lexer;

	switch (l->kind) {
	case SC_TOKEN_WORD: take_word(f); return;
	case SC_TOKEN_DIRECTIVE: take_directive(f); return;
	case SC_TOKEN_MARK: take_mark(f); return;
	case SC_TOKEN_FLOAT:
		sc_buf_add(f->out, l->is_single ? "0f00000000 " : "0d0000000000000000 ");
		break;
	case SC_TOKEN_STRING:
		if (f->is_pragma)
			add(f, l->text, l->bytes);
		break;
	case SC_TOKEN_INTEGER: add(f, l->text, l->bytes); break;
	case SC_TOKEN_END: break;
	}
	sc_lexer_next(l);
}

void sc_private_ptx(struct sc_private_names *n, const char *text, size_t bytes, struct sc_buf *out)
{
	struct filter f = {.names = n, .out = out};

	sc_lexer_init(&f.lexer, text, bytes);
	begin_statement(&f);
	while (f.lexer.kind != SC_TOKEN_END)
		take_token(&f);
}
