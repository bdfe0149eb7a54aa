/* Instructions of PTX: one statement of a function's body into one sc_instruction. */
#include "ptx/instruction.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ptx/constant.h"

#define NESTING 4 /* [a, {b, c}] needs two levels */

struct modifier {
	const char *text;
	uint8_t space, vector, compare, boolean, ignored;
	uint16_t flags;
};

static const struct modifier modifiers[] = {
#define MODIFIER(name, field, number) {.text = (name), .field = (number)},
#include "ptx/modifier.def"
#undef MODIFIER
};

static const char *const opcode_names[] = {
#define OPCODE(id, text, class) text,
#include "ptx/opcode.def"
#undef OPCODE
};

static bool same(const char *name, const char *text, size_t bytes)
{
	return bytes && *name == *text && !strncmp(name, text, bytes) && !name[bytes];
}

enum sc_ptx_type sc_instruction_type(const char *text, size_t bytes)
{
	static const char *const names[] = {
		"",
#define TYPE(id, text, bits, kind) text,
#include "ptx/type.def"
#undef TYPE
	};

	for (unsigned i = 1; i < SC_TYPES; i++)
		if (same(names[i], text, bytes))
			return (enum sc_ptx_type)i;
	return SC_TYPE_NONE;
}

static bool add_type(struct sc_instruction *in, const char *text, size_t bytes)
{
	enum sc_ptx_type type = sc_instruction_type(text, bytes);

	if (!type)
		return 0;
	if (!in->type)
		in->type = (uint8_t)type;
	else if (!in->type2)
		in->type2 = (uint8_t)type;
	return 1;
}

/* The shape m16n8k16 of a matrix instruction. */
static bool add_shape(struct sc_instruction *in, const char *text, size_t bytes)
{
	char copy[16];
	unsigned m, n, k;

	if (!bytes || *text != 'm' || bytes >= sizeof(copy))
		return 0;
	memcpy(copy, text, bytes);
	copy[bytes] = 0;
	if (sscanf(copy, "m%3un%3uk%3u", &m, &n, &k) != 3)
		return 0;
	in->rows = (uint16_t)m;
	in->columns = (uint16_t)n;
	in->depth = (uint16_t)k;
	return 1;
}

static void apply(struct sc_instruction *in, const struct modifier *m)
{
	if (m->space) {
		if (!in->space)
			in->space = m->space;
		else
			in->space2 = m->space;
	}
	if (m->vector)
		in->vector = m->vector;
	if (m->compare && !in->compare)
		in->compare = m->compare;
	if (m->boolean)
		in->boolean = m->boolean;
	in->flags |= m->flags;
}

static void add_part(struct sc_instruction *in, const char *text, size_t bytes)
{
	if (add_type(in, text, bytes) || add_shape(in, text, bytes))
		return;
	for (size_t i = 0; i < sizeof(modifiers) / sizeof(*modifiers); i++)
		if (same(modifiers[i].text, text, bytes)) {
			apply(in, &modifiers[i]);
			return;
		}
	in->flags |= SC_PART_ODD;
}

/* What an opcode with its modifiers says. */
static struct sc_instruction make_form(const char *at, const char *end)
{
	const char *dot = memchr(at, '.', (size_t)(end - at));
	size_t bytes = (size_t)((dot ? dot : end) - at);
	struct sc_instruction form = {.vector = 1};

	for (unsigned i = 1; i < SC_PTX_OPCODES; i++)
		if (same(opcode_names[i], at, bytes))
			form.opcode = (uint16_t)i;
	while (dot) {
		at = dot + 1;
		dot = memchr(at, '.', (size_t)(end - at));
		add_part(&form, at, (size_t)((dot ? dot : end) - at));
	}
	return form;
}

/* The name of an opcode; white space may stand before each '.' of it. Longer than any opcode: cut.
 */
static uint32_t read_name(struct sc_ptx_reader *r)
{
	struct sc_lexer *l = &r->lexer;
	const char *first = l->text;
	size_t bytes = l->bytes;
	char whole[128];

	sc_lexer_next(l);
	if (l->kind != SC_TOKEN_DIRECTIVE)
		return sc_ptx_name(r->module, first, bytes);
	bytes = bytes < sizeof(whole) ? bytes : sizeof(whole);
	memcpy(whole, first, bytes);
	for (; l->kind == SC_TOKEN_DIRECTIVE; sc_lexer_next(l)) {
		size_t more = l->bytes < sizeof(whole) - bytes ? l->bytes : sizeof(whole) - bytes;

		memcpy(whole + bytes, l->text, more);
		bytes += more;
	}
	return sc_ptx_name(r->module, whole, bytes);
}

/* A text has few such words, and each of them many times. */
static struct sc_instruction read_form(struct sc_ptx_reader *r)
{
	uint32_t name = read_name(r);
	const char *at = r->module->names.items[name];
	uint64_t *known = sc_u64_map_get(&r->form_of, name);

	if (!*known) {
		sc_vector_push(&r->forms, make_form(at, at + strlen(at)));
		sc_vector_last(&r->forms)->name = name;
		*known = r->forms.count;
	}
	return r->forms.items[*known - 1];
}

static struct sc_ptx_operand read_operand(struct sc_ptx_reader *r, unsigned depth);

static bool ends_operand(const struct sc_lexer *l)
{
	return l->kind == SC_TOKEN_END || sc_lexer_is_mark(l, ';') || sc_lexer_is_mark(l, ',') ||
	       sc_lexer_is_mark(l, ']') || sc_lexer_is_mark(l, '}') || sc_lexer_is_mark(l, ')') ||
	       sc_lexer_is_mark(l, '|');
}

/* The "+4", "+-4" after a register or symbol. */
static int64_t read_offset(struct sc_ptx_reader *r)
{
	uint64_t offset = 0;

	while (sc_lexer_is_mark(&r->lexer, '+') || sc_lexer_is_mark(&r->lexer, '-')) {
		bool minus = 0;

		while (sc_lexer_is_mark(&r->lexer, '+') || sc_lexer_is_mark(&r->lexer, '-')) {
			minus ^= *r->lexer.text == '-';
			sc_lexer_next(&r->lexer);
		}
		if (sc_constant_begins(&r->lexer))
			offset += (uint64_t)sc_constant_read_term(&r->lexer, minus);
	}
	return (int64_t)offset;
}

/* Moves operands pending from `mark` on to the function; the operand that contains them. */
static struct sc_ptx_operand seal(struct sc_ptx_reader *r, size_t mark, uint8_t kind)
{
	struct sc_ptx_operand out = {.kind = kind,
				     .id = (uint32_t)r->function.operands.count,
				     .count = (uint32_t)(r->pending.count - mark)};

	for (size_t i = mark; i < r->pending.count; i++)
		sc_vector_push(&r->function.operands, r->pending.items[i]);
	r->pending.count = mark;
	if (kind == SC_OPERAND_ADDRESS && out.count) {
		struct sc_ptx_operand *first = &r->function.operands.items[out.id];

		if (first->kind != SC_OPERAND_INTEGER) {
			out.value = first->value;
			first->value = 0;
		}
	}
	return out;
}

static struct sc_ptx_operand read_list(struct sc_ptx_reader *r, char close, uint8_t kind,
				       unsigned depth)
{
	size_t mark = r->pending.count;

	sc_lexer_next(&r->lexer);
	while (r->lexer.kind != SC_TOKEN_END && !sc_lexer_is_mark(&r->lexer, close) &&
	       !sc_lexer_is_mark(&r->lexer, ';')) {
		struct sc_ptx_operand inner = read_operand(r, depth + 1);

		sc_vector_push(&r->pending, inner);
		if (!sc_lexer_take(&r->lexer, ',') && !sc_lexer_take(&r->lexer, '|') &&
		    !sc_lexer_is_mark(&r->lexer, close))
			break;
	}
	sc_lexer_take(&r->lexer, close);
	return seal(r, mark, kind);
}

static struct sc_ptx_operand read_number(struct sc_ptx_reader *r, bool minus)
{
	struct sc_ptx_operand out = {.kind = SC_OPERAND_INTEGER};

	if (r->lexer.kind != SC_TOKEN_FLOAT) {
		out.value = sc_constant_read(&r->lexer, minus);
		return out;
	}
	out.kind = SC_OPERAND_FLOAT;
	out.value = r->lexer.value;
	out.is_single = r->lexer.is_single;
	if (minus)
		out.value ^= out.is_single ? INT64_C(1) << 31 : INT64_MIN;
	sc_lexer_next(&r->lexer);
	return out;
}

/* The word of an operand: "%tid.x" may have white space before its point. Longer than any: cut. */
static struct sc_ptx_operand resolve_word(struct sc_ptx_reader *r)
{
	struct sc_lexer *l = &r->lexer;
	const char *first = l->text;
	size_t bytes = l->bytes;
	char whole[64];

	sc_lexer_next(l);
	if (*first != '%' || l->kind != SC_TOKEN_DIRECTIVE || bytes + l->bytes > sizeof(whole))
		return sc_scope_resolve(r, first, bytes);
	memcpy(whole, first, bytes);
	memcpy(whole + bytes, l->text, l->bytes);
	bytes += l->bytes;
	sc_lexer_next(l);
	return sc_scope_resolve(r, whole, bytes);
}

static struct sc_ptx_operand read_word(struct sc_ptx_reader *r)
{
	struct sc_ptx_operand out = resolve_word(r);
	int64_t offset = read_offset(r);

	if (out.kind == SC_OPERAND_NAME && offset)
		out.kind = SC_OPERAND_SINK;
	if (out.kind != SC_OPERAND_NAME)
		out.value = offset;
	return out;
}

static struct sc_ptx_operand read_operand(struct sc_ptx_reader *r, unsigned depth)
{
	struct sc_lexer *l = &r->lexer;
	struct sc_ptx_operand out = {.kind = SC_OPERAND_SINK};
	bool minus = 0, negated = 0;

	for (; sc_lexer_is_mark(l, '-') || sc_lexer_is_mark(l, '!') || sc_lexer_is_mark(l, '+');
	     sc_lexer_next(l)) {
		minus ^= *l->text == '-';
		negated ^= *l->text == '!';
	}
	if (depth < NESTING && sc_lexer_is_mark(l, '['))
		return read_list(r, ']', SC_OPERAND_ADDRESS, depth);
	if (depth < NESTING && sc_lexer_is_mark(l, '{'))
		return read_list(r, '}', SC_OPERAND_VECTOR, depth);
	if (depth < NESTING && r->calls && sc_lexer_is_mark(l, '('))
		return read_list(r, ')', SC_OPERAND_VECTOR, depth);
	if (sc_constant_begins(l) || l->kind == SC_TOKEN_FLOAT)
		out = read_number(r, minus);
	else if (l->kind == SC_TOKEN_WORD)
		out = read_word(r);
	if (!ends_operand(l))
		out = (struct sc_ptx_operand){.kind = SC_OPERAND_SINK};
	while (!ends_operand(l))
		sc_lexer_next(l);
	out.negated = negated;
	return out;
}

/* One operand, or a pair p|q as a vector of two. */
static void read_top_operand(struct sc_ptx_reader *r)
{
	size_t mark = r->pending.count;
	struct sc_ptx_operand first = read_operand(r, 0);

	if (sc_lexer_is_mark(&r->lexer, '|')) {
		sc_lexer_next(&r->lexer);
		sc_vector_push(&r->pending, first);
		first = read_operand(r, 0);
		sc_vector_push(&r->pending, first);
		first = seal(r, mark, SC_OPERAND_VECTOR);
	}
	sc_vector_push(&r->pending, first);
}

/* The register of the guard + 1, 0 without one. */
static uint32_t read_guard(struct sc_ptx_reader *r, bool *is_negated)
{
	struct sc_ptx_operand guard;

	*is_negated = 0;
	if (!sc_lexer_take(&r->lexer, '@'))
		return 0;
	*is_negated = sc_lexer_take(&r->lexer, '!');
	guard = sc_scope_resolve(r, r->lexer.text, r->lexer.bytes);
	sc_lexer_next(&r->lexer);
	if (guard.kind == SC_OPERAND_REGISTER)
		return guard.id + 1;
	r->function.problems++;
	return 0;
}

void sc_instruction_read(struct sc_ptx_reader *r)
{
	struct sc_instruction in;
	struct sc_ptx_operand all;
	uint32_t used = r->used, line = r->lexer.line, guard;
	bool is_negated;

	r->used = 0;
	guard = read_guard(r, &is_negated);
	if (r->lexer.kind != SC_TOKEN_WORD) {
		r->function.problems++;
		sc_lexer_next(&r->lexer);
		return;
	}
	in = read_form(r);
	r->calls = in.opcode == SC_PTX_CALL;
	in.guard = guard;
	in.guard_negated = is_negated;
	in.line = line;
	in.source_file = r->source_file;
	in.source_line = r->source_line;
	sc_vector_clear(&r->pending);
	while (r->lexer.kind != SC_TOKEN_END && !sc_lexer_is_mark(&r->lexer, ';')) {
		read_top_operand(r);
		if (sc_lexer_take(&r->lexer, ','))
			continue;
		if (!sc_lexer_is_mark(&r->lexer, ';')) {
			r->function.problems++;
			break;
		}
	}
	while (r->lexer.kind != SC_TOKEN_END && !sc_lexer_is_mark(&r->lexer, ';'))
		sc_lexer_next(&r->lexer);
	sc_lexer_take(&r->lexer, ';');
	all = seal(r, 0, SC_OPERAND_VECTOR);
	in.first = all.id;
	in.count = all.count;
	in.used = in.opcode == SC_PTX_LD ? used : 0;
	sc_vector_push(&r->function.code, in);
}

void sc_instruction_resolve_labels(struct sc_ptx_reader *r)
{
	for (size_t i = 0; i < r->function.operands.count; i++) {
		struct sc_ptx_operand *o = &r->function.operands.items[i];
		uint32_t label;

		if (o->kind != SC_OPERAND_NAME)
			continue;
		label = sc_scope_find_label(&r->scope, (uint32_t)o->value, o->id);
		if (label) {
			o->kind = SC_OPERAND_LABEL;
			o->id = label - 1;
		}
	}
}
