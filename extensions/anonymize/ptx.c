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
	bool is_at_start; /* of a statement: an opcode may come */
	bool is_function; /* the statement declares one */
	bool is_entry;	  /* a kernel, whose name is not there yet */
};

static void end_statement(struct filter *f)
{
	sc_buf_add_char(f->out, '\n');
	f->is_at_start = 1;
	f->is_function = f->is_entry = 0;
	f->begin = f->out->bytes;
}

/* Puts the token out, and goes to the next one. */
static void pass(struct filter *f)
{
	sc_buf_add_bytes(f->out, f->lexer.text, f->lexer.bytes);
	sc_buf_add_char(f->out, ' ');
	sc_lexer_next(&f->lexer);
}

/* Goes to the next of these marks, or to the end. */
static void skip_to(struct sc_lexer *l, const char *marks)
{
	while (l->kind != SC_TOKEN_END && !(l->kind == SC_TOKEN_MARK && strchr(marks, *l->text)))
		sc_lexer_next(l);
}

/* With its block, if it has one. */
static void skip_statement(struct sc_lexer *l)
{
	skip_to(l, "{;");
	if (sc_lexer_is_mark(l, '{'))
		sc_lexer_skip_block(l);
	else
		sc_lexer_next(l);
}

/* Registers, and names that mean something whoever writes them. */
static bool is_known(const struct sc_lexer *l)
{
	static const char *const known[] = {
#define EXTERNAL(name, kind) name,
#include "footprint/external.def"
#undef EXTERNAL
		"_", "WARP_SZ"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (sc_lexer_is_text(l, known[i]))
			return 1;
	return *l->text == '%';
}

/* What stands after a dot in an operand is a part of what has the name. */
static void take_name(struct filter *f)
{
	struct sc_lexer *l = &f->lexer;
	const char *dot = memchr(l->text, '.', l->bytes);
	size_t bytes = dot ? (size_t)(dot - l->text) : l->bytes;
	char name[SC_PRIVATE_NAME];

	if (!is_known(l)) {
		sc_buf_add(f->out,
			   sc_private_name(f->names, SC_PRIVATE_SYMBOL, l->text, bytes, name));
		if (f->is_entry && !strncmp(name, "symbol_", 7)) { /* a kernel of no record */
			f->out->bytes = f->begin;
			skip_statement(l);
			end_statement(f);
			return;
		}
		l->text += bytes;
		l->bytes -= bytes;
	}
	f->is_entry = 0;
	pass(f);
}

static void take_word(struct filter *f)
{
	struct sc_lexer ahead = f->lexer;
	bool may_be_opcode = f->is_at_start;

	sc_lexer_next(&ahead);
	f->is_at_start = 0;
	if (may_be_opcode && !sc_lexer_is_mark(&ahead, ':'))
		pass(f);
	else
		take_name(f);
}

static void take_directive(struct filter *f)
{
	struct sc_lexer *l = &f->lexer;
	uint32_t line = l->line;

	if (sc_lexer_is_text(l, ".loc") || sc_lexer_is_text(l, ".file")) {
		sc_lexer_skip_line(l);
		return;
	}
	if (sc_lexer_is_text(l, ".section") || sc_lexer_is_text(l, ".pragma")) {
		skip_statement(l);
		return;
	}
	if (sc_lexer_is_text(l, ".version") || sc_lexer_is_text(l, ".target") ||
	    sc_lexer_is_text(l, ".address_size")) {
		while (l->kind != SC_TOKEN_END && l->line == line)
			pass(f);
		end_statement(f);
		return;
	}
	f->is_entry |= sc_lexer_is_text(l, ".entry");
	f->is_function |= f->is_entry || sc_lexer_is_text(l, ".func");
	f->is_at_start = 0;
	pass(f);
}

/* The braces of a block, or of a list of operands. */
static void take_brace(struct filter *f, bool opens)
{
	bool is_block = !f->list && (f->is_at_start || (opens && f->is_function));

	pass(f);
	if (is_block)
		end_statement(f);
	else
		f->list += opens ? 1 : f->list ? -1u : 0;
}

static void take_mark(struct filter *f)
{
	char mark = *f->lexer.text;

	switch (mark) {
	case '=': skip_to(&f->lexer, ";"); return; /* what a variable holds at first */
	case '{':
	case '}': take_brace(f, mark == '{'); return;
	case '@': /* the guard of an instruction */
		pass(f);
		if (sc_lexer_is_mark(&f->lexer, '!'))
			pass(f);
		if (f->lexer.kind == SC_TOKEN_WORD)
			take_name(f);
		return;
	}
	pass(f);
	if (mark == ';' || mark == ':')
		end_statement(f);
	else
		f->is_at_start = 0;
}

static void take_token(struct filter *f)
{
	switch (f->lexer.kind) {
	case SC_TOKEN_WORD: take_word(f); return;
	case SC_TOKEN_DIRECTIVE: take_directive(f); return;
	case SC_TOKEN_MARK: take_mark(f); return;
	case SC_TOKEN_INTEGER: pass(f); return;
	case SC_TOKEN_FLOAT:
		sc_buf_add(f->out, f->lexer.is_single ? "0f00000000 " : "0d0000000000000000 ");
		break;
	case SC_TOKEN_STRING:
	case SC_TOKEN_END: break;
	}
	sc_lexer_next(&f->lexer);
}

void sc_private_ptx(struct sc_private_names *n, const char *text, size_t bytes, struct sc_buf *out)
{
	struct filter f = {.names = n, .out = out, .is_at_start = 1, .begin = out->bytes};

	sc_lexer_init(&f.lexer, text, bytes);
	while (f.lexer.kind != SC_TOKEN_END)
		take_token(&f);
}
