/* Loaded addresses: what comes from a load is followed through the registers of a body. */
#include "ptx/loaded_address.h"

#include <string.h>
#include "ptx/lexer.h"

#define MOST_PASSES  8
#define MOST_TARGETS 16 /* registers that one instruction writes */
#define OPERANDS     4	/* that are kept apart; the last one goes on with the others */

/* What a register may hold; and whether it was read, since what it holds then counts only if the
 * body is read once more. */
enum { LOADED = 1, OF_PARAMETERS = 2 /* an address in the space of parameters */, WAS_READ = 4 };

struct body {
	struct sc_loaded_address_registers *registers;
	bool is_changed; /* in this pass, after it was read */
	bool is_loaded;	 /* an address of an access */
	bool has_call;
};

/* One instruction. */
struct instruction {
	const char *opcode;
	size_t bytes;
	uint32_t target[MOST_TARGETS]; /* hashes of names */
	unsigned targets;
	unsigned holds[OPERANDS]; /* by operand, what is not an address */
	unsigned address;	  /* what the registers of addresses hold */
	bool has_address;
	bool is_result;	   /* an address names what a function returned */
	bool has_register; /* outside of addresses */
};

/* ---- registers ---- */

static uint32_t hash_of(const char *name, size_t bytes)
{
	uint32_t hash = UINT32_C(0x811c9dc5);

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ (uint8_t)name[i]) * UINT32_C(0x01000193);
	return hash;
}

/* Its place; NULL: there is none left. */
static uint32_t *place_of(struct sc_loaded_address_registers *r, uint32_t name)
{
	uint32_t at = name ^ name >> 16;

	for (unsigned tried = 0; tried < SC_LOADED_ADDRESS_REGISTERS; tried++, at++) {
		typeof(&r->item[0]) x = &r->item[at % SC_LOADED_ADDRESS_REGISTERS];

		if (x->body == r->body && x->name == name)
			return &x->holds;
		if (x->body == r->body)
			continue;
		if (r->used >= SC_LOADED_ADDRESS_REGISTERS / 4 * 3)
			return NULL;
		r->used++;
		x->name = name;
		x->body = r->body;
		x->holds = 0;
		return &x->holds;
	}
	return NULL;
}

static unsigned held_by(struct body *b, uint32_t name)
{
	uint32_t *place = place_of(b->registers, name);

	if (!place)
		return LOADED;
	*place |= WAS_READ;
	return *place & (LOADED | OF_PARAMETERS);
}

static void give(struct body *b, const struct instruction *i, unsigned holds)
{
	for (unsigned k = 0; k < i->targets; k++) {
		uint32_t *place = place_of(b->registers, i->target[k]);

		if (!place) {
			b->is_loaded = 1;
			continue;
		}
		b->is_changed |= *place & WAS_READ && (*place | holds) != *place;
		*place |= holds;
	}
}

/* ---- one instruction ---- */

/* The opcode is this one, whatever modifiers it has. */
static bool is_op(const struct instruction *i, const char *name)
{
	size_t length;

	if (*name != *i->opcode) /* nearly always */
		return 0;
	length = strlen(name);
	return i->bytes >= length && !memcmp(i->opcode, name, length) &&
	       (i->bytes == length || i->opcode[length] == '.');
}

static bool is_any_of(const struct instruction *i, const char *const *names)
{
	for (; *names; names++)
		if (is_op(i, *names))
			return 1;
	return 0;
}

static bool has(const struct instruction *i, const char *modifier)
{
	return memmem(i->opcode, i->bytes, modifier, strlen(modifier)) != NULL;
}

/* The access may be one of memory that the host can touch, too. */
static bool may_be_global(const struct instruction *i)
{
	static const char *const handles[] = {"tex",   "tld4", "suld", "sust",
					      "sured", "suq",  "txq",  NULL};

	if (is_any_of(i, handles))
		return 0;
	return has(i, ".global") ||
	       !(has(i, ".shared") || has(i, ".local") || has(i, ".param") || has(i, ".const"));
}

static unsigned loaded_by(const struct instruction *i)
{
	bool is_parameter = has(i, ".param") || i->address == OF_PARAMETERS;

	return is_parameter && !i->is_result && !(i->address & LOADED) ? 0 : LOADED;
}

/* What the instruction's result may hold. */
static unsigned result_of(const struct instruction *i)
{
	static const char *const loads[] = {"ld", "ldu", "atom", NULL};
	static const char *const numbers[] = {"mul",  "mul24", "shl",	"shr",	"cvt",	 "setp",
					      "set",  "div",   "rem",	"popc", "clz",	 "bfind",
					      "brev", "vote",  "match", "bfe",	"mul64", NULL};
	static const char *const sums[] = {"mad", "mad24", "madc", "fma", NULL};

	if (is_any_of(i, loads))
		return loaded_by(i);
	if (is_any_of(i, numbers))
		return 0;
	if (is_any_of(i, sums))
		return i->holds[3];
	return i->holds[1] | i->holds[2] | i->holds[3];
}

static void follow(struct body *b, const struct instruction *i)
{
	if (is_op(i, "call")) {
		b->has_call = 1;
		b->is_loaded |= i->has_register; /* the function's address */
		return;
	}
	b->is_loaded |= i->has_address && i->address & LOADED && may_be_global(i);
	if (is_op(i, "st") && has(i, ".param")) /* a function gets it */
		b->is_loaded |= has(i, "64") && (i->holds[1] & LOADED);
	else
		give(b, i, result_of(i));
}

/* ---- reading ---- */

static bool begins(const struct sc_lexer *l, const char *with)
{
	size_t length = strlen(with);

	return l->bytes >= length && !memcmp(l->text, with, length);
}

static void take_word(struct body *b, struct instruction *i, const struct sc_lexer *l,
		      unsigned operand, bool is_address)
{
	uint32_t name = hash_of(l->text, l->bytes);

	i->has_register |= *l->text == '%' && !is_address;
	if (*l->text != '%') {
		i->is_result |= is_address && begins(l, "retval");
		if (!is_address && memmem(l->text, l->bytes, "_param_", 7))
			i->holds[operand] |= OF_PARAMETERS;
	} else if (is_address) {
		i->address |= held_by(b, name);
	} else if (!operand && !i->has_address && i->targets < MOST_TARGETS) {
		i->target[i->targets++] = name;
	} else {
		i->holds[operand] |= held_by(b, name);
	}
}

static unsigned next_operand(unsigned operand)
{
	return operand + 1 < OPERANDS ? operand + 1 : operand;
}

/* The operands, up to the semicolon. */
static void take_operands(struct body *b, struct instruction *i, struct sc_lexer *l)
{
	unsigned operand = 0, depth = 0;
	bool is_address = 0;

	for (; l->kind != SC_TOKEN_END && !sc_lexer_is_mark(l, ';'); sc_lexer_next(l)) {
		if (l->kind == SC_TOKEN_WORD) {
			take_word(b, i, l, operand, is_address);
		} else if (l->kind == SC_TOKEN_MARK) {
			switch (*l->text) {
			case '[': is_address = i->has_address = 1; break;
			case ']': is_address = 0; break;
			case '{':
			case '(': depth++; break;
			case '}':
			case ')': depth -= depth > 0; break;
			case ',':
				if (!depth && !is_address)
					operand = next_operand(operand);
				break;
			}
		}
	}
}

static void skip_statement(struct sc_lexer *l)
{
	while (l->kind != SC_TOKEN_END && !sc_lexer_is_mark(l, ';'))
		sc_lexer_next(l);
}

static void take_statement(struct body *b, struct sc_lexer *l)
{
	struct instruction i = {.opcode = l->text, .bytes = l->bytes};

	if (l->kind == SC_TOKEN_DIRECTIVE) {
		if (sc_lexer_is_text(l, ".loc") || sc_lexer_is_text(l, ".file"))
			sc_lexer_skip_line(l);
		else
			skip_statement(l);
		return;
	}
	if (l->kind != SC_TOKEN_WORD || *l->text == '%') { /* a predicate, a brace */
		sc_lexer_next(l);
		return;
	}
	sc_lexer_next(l);
	if (sc_lexer_take(l, ':'))
		return;
	take_operands(b, &i, l);
	follow(b, &i);
}

static struct body read_body(const char *text, size_t bytes,
			     struct sc_loaded_address_registers *registers)
{
	struct body b = {.registers = registers, .is_changed = 1};

	registers->body++;
	registers->used = 0;
	for (unsigned pass = 0; b.is_changed && !b.is_loaded; pass++) {
		struct sc_lexer l;

		if (pass == MOST_PASSES) {
			b.is_loaded = 1;
			break;
		}
		b.is_changed = 0;
		sc_lexer_init(&l, text, bytes);
		while (l.kind != SC_TOKEN_END && !b.is_loaded)
			take_statement(&b, &l);
	}
	return b;
}

/* ---- the text ---- */

/* What calls may lead to. */
struct reading {
	struct sc_loaded_address_registers *registers;
	const struct sc_loaded_address_taker *to;
	bool is_called_loaded;
};

static void skip_group(struct sc_lexer *l)
{
	unsigned depth = 0;

	do {
		depth += sc_lexer_is_mark(l, '(');
		depth -= sc_lexer_is_mark(l, ')');
		sc_lexer_next(l);
	} while (depth && l->kind != SC_TOKEN_END);
}

/* A function of the device's runtime, which follows nothing of the program's. */
static bool is_known(const char *name, size_t bytes)
{
	static const char *const known[] = {
		"vprintf", "__assertfail", "free", "cudaCGGetIntrinsicHandle", "cudaCGSynchronize",
		NULL};

	for (const char *const *k = known; *k; k++)
		if (bytes == strlen(*k) && !memcmp(name, *k, bytes))
			return 1;
	return 0;
}

static void take_body(struct reading *r, const char *name, size_t name_bytes, const char *text,
		      size_t bytes, bool is_kernel)
{
	struct body b = read_body(text, bytes, r->registers);

	if (is_kernel)
		r->to->take(r->to->context, name, name_bytes,
			    b.is_loaded || (b.has_call && r->is_called_loaded));
	else
		r->is_called_loaded |= b.is_loaded;
}

/* With the current token after .entry or .func. */
static void take_function(struct reading *r, struct sc_lexer *l, bool is_kernel, bool is_wanted,
			  bool is_elsewhere)
{
	const char *name, *start, *end;
	size_t bytes;

	if (sc_lexer_is_mark(l, '('))
		skip_group(l);
	name = l->text;
	bytes = l->bytes;
	if (l->kind != SC_TOKEN_WORD)
		return;
	while (l->kind != SC_TOKEN_END && !sc_lexer_is_mark(l, ';') && !sc_lexer_is_mark(l, '{'))
		sc_lexer_next(l);
	if (!sc_lexer_is_mark(l, '{')) {
		r->is_called_loaded |= is_elsewhere && !is_known(name, bytes);
		return;
	}
	start = l->at;
	end = sc_lexer_skip_block(l);
	if (is_wanted)
		take_body(r, name, bytes, start, (size_t)(end - start), is_kernel);
}

static void read_text(struct reading *r, const char *text, size_t bytes, bool of_kernels)
{
	bool is_elsewhere = 0;
	struct sc_lexer l;

	sc_lexer_init(&l, text, bytes);
	while (l.kind != SC_TOKEN_END) {
		bool is_kernel = sc_lexer_is_text(&l, ".entry");
		bool is_function = sc_lexer_is_text(&l, ".func");
		bool is_extern = sc_lexer_is_text(&l, ".extern");

		sc_lexer_next(&l);
		if (is_kernel || is_function)
			take_function(r, &l, is_kernel, is_kernel == of_kernels,
				      is_function && is_elsewhere);
		is_elsewhere = is_extern;
	}
}

void sc_loaded_address_find(const char *text, size_t bytes,
			    struct sc_loaded_address_registers *registers,
			    const struct sc_loaded_address_taker *to)
{
	struct reading r = {.registers = registers, .to = to};

	if (memmem(text, bytes, ".func", 5))
		read_text(&r, text, bytes, 0);
	read_text(&r, text, bytes, 1);
}
