/* Patching PTX: each instruction that a row names gets a call before it. */
#include "tests/sanitizer/patch.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interposer/sanitizer/api.h"
#include "ptx/instruction.h"
#include "ptx/lexer.h"

#define OPERANDS_MOST 8
#define NONE	      (-1)

/* As sanitizer_patching.h has them. */
enum { READ = 1, WRITE = 2, ATOMIC = 4, PREFETCH = 8 };

/* A piece of the text. */
struct piece {
	const char *text;
	size_t bytes;
};

struct statement {
	struct piece guard; /* with its @, or empty */
	struct piece opcode;
	struct piece operand[OPERANDS_MOST]; /* those of addresses without brackets */
	bool is_address[OPERANDS_MOST];
	unsigned count;
};

struct patching {
	const struct standin_patches *patches;
	struct sc_lexer l;
	const char *copied; /* up to here the text is written */
	FILE *to;
	uint64_t pc;
	bool is_wrong;
};

/* ---- parts of opcodes ---- */

static bool has_part(struct piece opcode, const char *part)
{
	size_t bytes = strlen(part);
	const char *at = opcode.text, *end = opcode.text + opcode.bytes;

	for (; at + bytes <= end; at++)
		if (at > opcode.text && at[-1] == '.' && !memcmp(at, part, bytes) &&
		    (at + bytes == end || at[bytes] == '.' || at[bytes] == ':'))
			return true;
	return false;
}

static bool begins(struct piece opcode, const char *with)
{
	size_t bytes = strlen(with);

	return opcode.bytes >= bytes && !memcmp(opcode.text, with, bytes) &&
	       (opcode.bytes == bytes || opcode.text[bytes] == '.');
}

/* Bytes of all elements of an access: of the last type that the opcode names. */
static unsigned access_bytes(struct piece opcode)
{
	unsigned bytes = 0, count = 1;
	const char *end = opcode.text + opcode.bytes, *next;

	for (const char *at = opcode.text; at < end; at = next + 1) {
		enum sc_ptx_type type;

		next = memchr(at, '.', (size_t)(end - at));
		next = next ? next : end;
		type = sc_instruction_type(at, (size_t)(next - at));
		if (type != SC_TYPE_NONE)
			bytes = sc_type_bits(type) / 8;
		else if (next - at == 2 && at[0] == 'v' && strchr("248", at[1]))
			count = (unsigned)(at[1] - '0');
	}
	return bytes * count;
}

/* ---- what is called ---- */

/* An address of the text: a register or a name, and perhaps an offset. */
static void put_address(struct patching *p, struct piece address)
{
	const char *plus = memchr(address.text, '+', address.bytes);
	size_t bytes = plus ? (size_t)(plus - address.text) : address.bytes;

	fprintf(p->to, "mov.b64 %%sca, %.*s; ", (int)bytes, address.text);
	if (plus)
		fprintf(p->to, "add.s64 %%sca, %%sca, %.*s; ", (int)(address.bytes - bytes - 1),
			plus + 1);
}

static void begin_call(struct patching *p, struct piece address)
{
	fprintf(p->to, "{ .reg .pred %%scq; .reg .b32 %%scl, %%sch; .reg .b64 %%scd, %%sca; "
		       ".param .b32 scr; .param .b64 scp0; .param .b64 scp1; .param .b64 scp2; "
		       "mov.u32 %%scl, %%envreg30; mov.u32 %%sch, %%envreg31; "
		       "mov.b64 %%scd, {%%scl, %%sch}; ");
	put_address(p, address);
	fprintf(p->to,
		"st.param.b64 [scp0], %%scd; st.param.b64 [scp1], %llu; "
		"st.param.b64 [scp2], %%sca; ",
		(unsigned long long)p->pc++);
}

/* The argument after those three. */
static void put_argument(struct patching *p, unsigned number, unsigned bits, const char *value)
{
	fprintf(p->to, ".param .b%u scp%u; st.param.b%u [scp%u], %s; ", bits, number, bits, number,
		value);
}

static void put_number(struct patching *p, unsigned number, unsigned bits, unsigned value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	put_argument(p, number, bits, text);
}

static void end_call(struct patching *p, struct piece guard, int kind, unsigned arguments)
{
	fprintf(p->to, "%.*s call (scr), %s, (scp0", (int)guard.bytes, guard.text ? guard.text : "",
		p->patches->function[kind]);
	for (unsigned i = 1; i < arguments; i++)
		fprintf(p->to, ", scp%u", i);
	fprintf(p->to, "); } ");
}

/* The operand that is the address `number`; an empty piece: there is none. */
static struct piece address_of(const struct statement *s, unsigned number)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->is_address[i] && !number--)
			return s->operand[i];
	return (struct piece){NULL, 0};
}

static void put_access(struct patching *p, const struct statement *s, int kind, unsigned bytes,
		       unsigned flags)
{
	struct piece address = address_of(s, 0);

	p->is_wrong |= !address.bytes || !bytes;
	if (p->is_wrong)
		return;
	begin_call(p, address);
	put_number(p, 3, 32, bytes);
	put_number(p, 4, 32, flags);
	put_number(p, 5, 64, flags == WRITE);
	end_call(p, s->guard, kind, 6);
}

/* ---- arguments, as rows name them ---- */

static void nothing(struct patching *p, const struct statement *s, int kind)
{
	(void)p;
	(void)s;
	(void)kind;
}

static void unknown(struct patching *p, const struct statement *s, int kind)
{
	(void)s;
	(void)kind;
	p->is_wrong = true;
}

static void read(struct patching *p, const struct statement *s, int kind)
{
	put_access(p, s, kind, access_bytes(s->opcode), READ);
}

static void write(struct patching *p, const struct statement *s, int kind)
{
	put_access(p, s, kind, access_bytes(s->opcode), WRITE);
}

static void change(struct patching *p, const struct statement *s, int kind)
{
	put_access(p, s, kind, access_bytes(s->opcode), READ | WRITE | ATOMIC);
}

static void prefetch(struct patching *p, const struct statement *s, int kind)
{
	put_access(p, s, kind, 1, READ | PREFETCH);
}

/* %scq: the guard, if there is one, and that the limit has bytes: a number, or a predicate that is
 * true if the source is to be ignored. */
static void put_condition(struct patching *p, struct piece guard, struct piece limit)
{
	bool is_negated = guard.bytes > 1 && guard.text[1] == '!';

	if (limit.bytes > 1 && limit.text[1] == 'p')
		fprintf(p->to, "not.pred %%scq, %.*s; ", (int)limit.bytes, limit.text);
	else
		fprintf(p->to, "setp.ne.u32 %%scq, %.*s, 0; ", (int)limit.bytes, limit.text);
	if (!guard.bytes)
		return;
	fprintf(p->to, "{ .reg .pred %%scg; %s.pred %%scg, %.*s; and.pred %%scq, %%scq, %%scg; } ",
		is_negated ? "not" : "mov", (int)guard.bytes - 1 - is_negated,
		guard.text + 1 + is_negated);
}

/* Where in shared memory the bytes go is not said. */
static void async_copy(struct patching *p, const struct statement *s, int kind)
{
	bool has_policy = has_part(s->opcode, "L2::cache_hint");
	struct piece guard = s->guard, limit = {NULL, 0};
	char size[16];

	if (s->count > 3U + has_policy)
		limit = s->operand[3];
	p->is_wrong |= s->count < 3 || !address_of(s, 1).bytes || s->operand[2].bytes > 4;
	if (p->is_wrong)
		return;
	snprintf(size, sizeof(size), "%.*s", (int)s->operand[2].bytes, s->operand[2].text);
	begin_call(p, address_of(s, 1));
	put_number(p, 3, 32, 0);
	put_argument(p, 4, 32, size);
	if (limit.bytes) {
		put_condition(p, guard, limit);
		guard = (struct piece){"@%scq", 5};
	}
	end_call(p, guard, kind, 5);
}

/* Blocks of sixteen bytes into %scl. */
static void put_blocks(struct patching *p, struct piece size)
{
	fprintf(p->to, "mov.b32 %%scl, %.*s; shr.u32 %%scl, %%scl, 4; ", (int)size.bytes,
		size.text);
}

static void bulk_load(struct patching *p, const struct statement *s, int kind)
{
	p->is_wrong |= s->count < 3 || !address_of(s, 1).bytes;
	if (p->is_wrong)
		return;
	begin_call(p, address_of(s, 1));
	put_blocks(p, s->operand[2]);
	put_number(p, 3, 32, 0);
	put_number(p, 4, 32, 0);
	put_argument(p, 5, 32, "%scl");
	put_number(p, 6, 32, has_part(s->opcode, "multicast::cluster"));
	end_call(p, s->guard, kind, 7);
}

static void bulk_store(struct patching *p, const struct statement *s, int kind)
{
	p->is_wrong |= s->count < 3 || !address_of(s, 0).bytes;
	if (p->is_wrong)
		return;
	begin_call(p, address_of(s, 0));
	put_blocks(p, s->operand[2]);
	put_number(p, 3, 32, 0);
	put_argument(p, 4, 32, "%scl");
	end_call(p, s->guard, kind, 5);
}

/* That there is one is all that is said. */
static void barrier(struct patching *p, const struct statement *s, int kind)
{
	begin_call(p, (struct piece){"0", 1});
	put_number(p, 3, 32, 0);
	put_number(p, 4, 32, 0);
	end_call(p, s->guard, kind, 5);
}

static const struct row {
	const char *begin, *part, *other;
	int kind;
	void (*put)(struct patching *p, const struct statement *s, int kind);
} rows[] = {
#define ROW(begin, part, other, kind, put) {begin, part, other, kind, put},
#include "tests/sanitizer/instruction.def"
#undef ROW
};

static void patch(struct patching *p, const struct statement *s, const char *start)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];

		if (!begins(s->opcode, r->begin) || (*r->part && !has_part(s->opcode, r->part)) ||
		    (*r->other && has_part(s->opcode, r->other)))
			continue;
		if (r->kind == NONE || !p->patches->function[r->kind])
			return;
		fwrite(p->copied, 1, (size_t)(start - p->copied), p->to);
		p->copied = start;
		r->put(p, s, r->kind);
		return;
	}
}

/* ---- reading ---- */

static void skip_to(struct patching *p, char mark)
{
	while (p->l.kind != SC_TOKEN_END && !sc_lexer_is_mark(&p->l, mark))
		sc_lexer_next(&p->l);
	sc_lexer_take(&p->l, mark);
}

/* One operand, through the ',' or ';' after it. */
static void read_operand(struct patching *p, struct statement *s)
{
	struct piece piece = {p->l.text, 0};
	bool is_address = sc_lexer_take(&p->l, '[');
	unsigned depth = is_address;

	if (is_address)
		piece.text = p->l.text;
	while (p->l.kind != SC_TOKEN_END) {
		if (sc_lexer_is_mark(&p->l, ';') || (!depth && sc_lexer_is_mark(&p->l, ',')))
			break;
		depth += sc_lexer_is_mark(&p->l, '{') || sc_lexer_is_mark(&p->l, '(');
		if (sc_lexer_is_mark(&p->l, '}') || sc_lexer_is_mark(&p->l, ')'))
			depth -= depth > 0;
		if (is_address && sc_lexer_is_mark(&p->l, ']'))
			depth = 0;
		else
			piece.bytes = (size_t)(p->l.text + p->l.bytes - piece.text);
		sc_lexer_next(&p->l);
	}
	sc_lexer_take(&p->l, ',');
	if (s->count == OPERANDS_MOST)
		return;
	s->is_address[s->count] = is_address;
	s->operand[s->count++] = piece;
}

static void read_statement(struct patching *p)
{
	struct statement s = {.count = 0};
	const char *start = p->l.text;

	if (sc_lexer_is_mark(&p->l, '@')) {
		sc_lexer_next(&p->l);
		sc_lexer_take(&p->l, '!');
		s.guard = (struct piece){start, (size_t)(p->l.text + p->l.bytes - start)};
		sc_lexer_next(&p->l);
	}
	s.opcode = (struct piece){p->l.text, p->l.bytes};
	sc_lexer_next(&p->l);
	if (!s.guard.bytes && sc_lexer_take(&p->l, ':'))
		return; /* it was a label */
	while (p->l.kind != SC_TOKEN_END && !sc_lexer_is_mark(&p->l, ';'))
		read_operand(p, &s);
	sc_lexer_take(&p->l, ';');
	patch(p, &s, start);
}

static void read_directive(struct patching *p)
{
	if (sc_lexer_is_text(&p->l, ".loc") || sc_lexer_is_text(&p->l, ".file"))
		sc_lexer_skip_line(&p->l);
	else
		skip_to(p, ';');
}

/* From its '{' through its '}'. */
static void read_body(struct patching *p)
{
	unsigned depth = 0;

	do {
		if (sc_lexer_take(&p->l, '{'))
			depth++;
		else if (sc_lexer_take(&p->l, '}'))
			depth--;
		else if (p->l.kind == SC_TOKEN_DIRECTIVE)
			read_directive(p);
		else if (!sc_lexer_take(&p->l, ';'))
			read_statement(p);
	} while (depth && p->l.kind != SC_TOKEN_END);
}

/* Braces outside of functions: initializers, sections. */
static void skip_braces(struct patching *p)
{
	unsigned depth = 0;

	do {
		depth += sc_lexer_is_mark(&p->l, '{');
		depth -= sc_lexer_is_mark(&p->l, '}');
		sc_lexer_next(&p->l);
	} while (depth && p->l.kind != SC_TOKEN_END);
}

static void read_module(struct patching *p)
{
	bool is_function = false;

	while (p->l.kind != SC_TOKEN_END) {
		is_function |=
			sc_lexer_is_text(&p->l, ".entry") || sc_lexer_is_text(&p->l, ".func");
		if (sc_lexer_is_mark(&p->l, '{')) {
			if (is_function)
				read_body(p);
			else
				skip_braces(p);
			is_function = false;
			continue;
		}
		if (sc_lexer_is_mark(&p->l, ';'))
			is_function = false;
		sc_lexer_next(&p->l);
	}
}

char *standin_patch(const struct standin_patches *patches, const char *text, size_t bytes,
		    size_t *patched_bytes)
{
	struct patching p = {.patches = patches, .copied = text};
	char *patched = NULL;

	p.to = open_memstream(&patched, patched_bytes);
	if (!p.to)
		return NULL;
	sc_lexer_init(&p.l, text, bytes);
	read_module(&p);
	fwrite(p.copied, 1, (size_t)(text + bytes - p.copied), p.to);
	if (fclose(p.to) || p.is_wrong) {
		free(patched);
		return NULL;
	}
	return patched;
}
