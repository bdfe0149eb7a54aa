/* Which words of its parameters a kernel may follow: from the flat code, register by register.
 *
 * What a register holds is a matter of all instructions that write it, in whatever order they run.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "base/heap.h"
#include "footprint/kernel.h"

#define MOST_PASSES 16
#define MOST_WORDS  64 /* of one kernel that are looked at; any other one may be followed */
#define WORD_BYTES  8

/* What a register may hold. */
enum {
	WORD = 1, /* the word, or what was computed from it */
	PLACE = 2 /* an address of the parameter that the word is in */
};

struct search {
	const struct sc_footprint_kernel *k;
	const struct sc_flat *flat;
	uint32_t word;	/* its offset in the parameter image */
	uint8_t *holds; /* owned: of each register */
	bool is_changed;
	bool is_followed;
};

static bool is_in(uint64_t offset, uint64_t bytes, uint32_t word)
{
	return offset < (uint64_t)word + WORD_BYTES && word < offset + bytes;
}

/* The parameter that the symbol is, if the word lies in it, or NULL. */
static const struct sc_ptx_symbol *find_parameter(const struct search *s,
						  const struct sc_ptx_operand *o)
{
	const struct sc_function *f = s->k->function;
	const struct sc_ptx_symbol *symbol;

	if (o->kind != SC_OPERAND_SYMBOL || o->id < f->param_first ||
	    o->id - f->param_first >= f->param_count)
		return NULL;
	symbol = &s->k->module->ptx.symbols.items[o->id];
	return is_in(symbol->offset, symbol->bytes, s->word) ? symbol : NULL;
}

static const struct sc_ptx_operand *inner(const struct search *s, const struct sc_ptx_operand *o,
					  uint32_t *count)
{
	bool is_list = o->kind == SC_OPERAND_VECTOR || o->kind == SC_OPERAND_ADDRESS;

	*count = is_list ? o->count : 1;
	return is_list ? &s->flat->f.operands.items[o->id] : o;
}

static unsigned held_by(const struct search *s, const struct sc_ptx_operand *o)
{
	unsigned holds = 0;
	uint32_t count;

	o = inner(s, o, &count);
	for (uint32_t i = 0; i < count; i++)
		if (o[i].kind == SC_OPERAND_REGISTER)
			holds |= s->holds[o[i].id];
		else if (find_parameter(s, &o[i]))
			holds |= PLACE;
	return holds;
}

static void give(struct search *s, const struct sc_ptx_operand *to, unsigned holds)
{
	uint32_t count;

	to = inner(s, to, &count);
	for (uint32_t i = 0; holds && i < count; i++) {
		if (to[i].kind != SC_OPERAND_REGISTER)
			continue;
		s->is_followed |= s->flat->unknown.items[to[i].id];
		s->is_changed |= (s->holds[to[i].id] | holds) != s->holds[to[i].id];
		s->holds[to[i].id] |= holds;
	}
}

/* An address is used where it holds the word; any other operand goes where nobody follows it. */
static void lose(struct search *s, const struct sc_ptx_operand *o, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		s->is_followed |= (held_by(s, &o[i]) &
				   (o[i].kind == SC_OPERAND_ADDRESS ? WORD : WORD | PLACE)) != 0;
}

/* A load of parameters by name reads the bytes that it says; by a register, any byte of them. */
static void take_load(struct search *s, const struct sc_instruction *in,
		      const struct sc_ptx_operand *o)
{
	const struct sc_ptx_operand *from = &s->flat->f.operands.items[o[1].id], *to;
	const struct sc_ptx_symbol *symbol = o[1].count == 1 ? find_parameter(s, from) : NULL;
	uint32_t bytes = sc_type_bits(in->type) / 8, count;

	lose(s, &o[1], in->count - 1);
	if (!symbol) {
		give(s, &o[0], held_by(s, &o[1]) & PLACE ? WORD | PLACE : 0);
		return;
	}
	to = inner(s, &o[0], &count);
	for (uint32_t i = 0; i < count; i++)
		if (is_in(symbol->offset + (uint64_t)o[1].value + (uint64_t)i * bytes,
			  bytes ? bytes : 1, s->word))
			give(s, &to[i], WORD);
}

static void take(struct search *s, const struct sc_instruction *in)
{
	const struct sc_ptx_operand *o = &s->flat->f.operands.items[in->first];
	bool is_load = in->opcode == SC_PTX_LD || in->opcode == SC_PTX_LDU;
	bool is_access = in->count > 1 &&
			 (o[0].kind == SC_OPERAND_ADDRESS || o[1].kind == SC_OPERAND_ADDRESS);
	bool is_move = (is_load || in->opcode == SC_PTX_ST) && !is_access; /* flat.h */
	bool is_value = sc_opcode_class(in->opcode) == SC_PTX_CLASS_VALUE &&
			in->opcode != SC_PTX_OTHER && !is_access;

	if (!in->count || in->opcode == SC_PTX_SETP)
		return;
	if (is_load && is_access) {
		take_load(s, in, o);
		return;
	}
	if (is_value || is_move)
		for (uint32_t i = 1; i < in->count; i++)
			give(s, &o[0], held_by(s, &o[i]));
	else if (in->opcode == SC_PTX_ATOM)
		lose(s, o + 1, in->count - 1);
	else
		lose(s, o, in->count);
}

static bool may_follow(const struct sc_footprint_kernel *k, uint32_t word)
{
	struct search s = {.k = k, .flat = &k->flat, .word = word, .is_changed = 1};

	s.holds = sc_heap_xcalloc(s.flat->f.registers.count + 1, sizeof(*s.holds));
	for (unsigned pass = 0; s.is_changed && !s.is_followed; pass++) {
		s.is_changed = 0;
		s.is_followed = pass == MOST_PASSES;
		for (size_t i = 0; i < s.flat->f.code.count && !s.is_followed; i++)
			take(&s, &s.flat->f.code.items[i]);
	}
	free(s.holds);
	return s.is_followed;
}

bool sc_footprint_may_follow(struct sc_footprint_kernel *k, uint32_t offset)
{
	uint64_t *known;

	sc_kernel_analyze(k);
	if (k->refused)
		return 1;
	known = sc_u64_map_find(&k->followed, offset);
	if (known)
		return *known;
	if (k->followed.count == MOST_WORDS)
		return 1;
	known = sc_u64_map_get(&k->followed, offset);
	*known = may_follow(k, offset);
	return *known;
}
