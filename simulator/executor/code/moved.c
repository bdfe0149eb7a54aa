/* Moved: backward from what uses values, until no more registers are found. */
#include "simulator/executor/code/moved.h"

#include <stdlib.h>
#include <string.h>

#include "simulator/executor/touched.h"

#define PASSES_MOST 100 /* each follows values from one loop to the next; more: all are used */

struct values {
	const struct exec_decoder *d;
	bool *is_used;	  /* of each register, and of `own` */
	uint32_t own;	  /* stands for all shared and local memory */
	bool is_reached;  /* that memory, by generic addresses */
	bool has_changed; /* in this pass */
};

static const struct sc_ptx_operand *operands_of(const struct values *v,
						const struct sc_instruction *in)
{
	return &v->d->f->operands.items[in->first];
}

static void use(struct values *v, uint32_t value)
{
	v->has_changed |= !v->is_used[value];
	v->is_used[value] = 1;
}

static bool is_list(const struct sc_ptx_operand *o)
{
	return o->kind == SC_OPERAND_ADDRESS || o->kind == SC_OPERAND_VECTOR;
}

/* Lists in lists, as those of tensor coordinates, are as deep as the text says: 3 is enough. */
static void use_operand(struct values *v, const struct sc_ptx_operand *o, unsigned depth)
{
	if (o->kind == SC_OPERAND_REGISTER)
		use(v, o->id);
	for (uint32_t i = 0; depth && is_list(o) && i < o->count; i++)
		use_operand(v, &v->d->f->operands.items[o->id + i], depth - 1);
}

static void use_operands(struct values *v, const struct sc_instruction *in, uint32_t from)
{
	for (uint32_t i = from; i < in->count; i++)
		use_operand(v, operands_of(v, in) + i, 3);
}

/* Whether a result is used, a register or all of several: of a part of a struct that is read as a
 * whole the rest may be padding. */
static bool wants(const struct values *v, const struct sc_ptx_operand *o)
{
	const struct sc_ptx_operand *part = &v->d->f->operands.items[o->id];

	if (o->kind == SC_OPERAND_REGISTER)
		return v->is_used[o->id];
	for (uint32_t i = 0; is_list(o) && i < o->count; i++)
		if (part[i].kind != SC_OPERAND_REGISTER || !v->is_used[part[i].id])
			return 0;
	return is_list(o);
}

static bool is_own(const struct values *v, const struct sc_instruction *in)
{
	return in->space == SC_SPACE_SHARED || in->space == SC_SPACE_LOCAL ||
	       (in->space == SC_SPACE_GENERIC && v->is_reached);
}

static void pass_load(struct values *v, const struct sc_instruction *in)
{
	use_operands(v, in, 1);
	if (is_own(v, in) && wants(v, operands_of(v, in)))
		use(v, v->own);
}

static void pass_store(struct values *v, const struct sc_instruction *in)
{
	bool is_global = in->space == SC_SPACE_GLOBAL || in->space == SC_SPACE_GENERIC;

	use_operand(v, operands_of(v, in), 3);
	if (in->count != 2 || !(is_global || is_own(v, in)) ||
	    (is_own(v, in) && v->is_used[v->own]))
		use_operands(v, in, 1);
}

static bool is_named(const struct values *v, const struct sc_instruction *in, const char *begin)
{
	return !strncmp(v->d->m->names.items[in->name], begin, strlen(begin));
}

/* By whole bytes; other shifts multiply and divide. */
static bool shifts_bytes(const struct values *v, const struct sc_instruction *in)
{
	const struct sc_ptx_operand *by = operands_of(v, in) + 2;

	return in->count == 3 && by->kind == SC_OPERAND_INTEGER && by->value % 8 == 0;
}

/* So many operands after the result are moved, the others say how; 0: it computes. */
static uint32_t count_moved(const struct values *v, const struct sc_instruction *in)
{
	switch (in->opcode) {
	case SC_PTX_MOV:
	case SC_PTX_BFE: return 1;
	case SC_PTX_CVT:
		return sc_type_kind(in->type) != SC_KIND_FLOAT &&
		       sc_type_kind(in->type2) != SC_KIND_FLOAT;
	case SC_PTX_SHL:
	case SC_PTX_SHR: return shifts_bytes(v, in);
	case SC_PTX_AND:
	case SC_PTX_OR:
	case SC_PTX_SELP: return 2;
	default:
		if (is_named(v, in, "shfl."))
			return 1;
		return is_named(v, in, "bfi.") || is_named(v, in, "prmt.") ? 2 : 0;
	}
}

/* The rest of what it moves may be padding. */
static bool takes_part(const struct values *v, const struct sc_instruction *in)
{
	if (in->opcode == SC_PTX_CVT)
		return sc_type_bits(in->type) < sc_type_bits(in->type2);
	return in->opcode == SC_PTX_SHR || in->opcode == SC_PTX_BFE || is_named(v, in, "prmt.");
}

/* Beside what a shuffle brings stands whether it does. */
static const struct sc_ptx_operand *result_of(const struct values *v,
					      const struct sc_instruction *in)
{
	const struct sc_ptx_operand *o = operands_of(v, in);

	return is_list(o) && is_named(v, in, "shfl.") ? &v->d->f->operands.items[o->id] : o;
}

static void pass_move(struct values *v, const struct sc_instruction *in, uint32_t moved)
{
	bool is_whole = !takes_part(v, in) && wants(v, result_of(v, in));

	use_operands(v, in, is_whole ? 1 : 1 + moved);
}

static void pass(struct values *v, const struct sc_instruction *in)
{
	uint32_t moved = count_moved(v, in);

	if (in->guard)
		use(v, in->guard - 1);
	if (in->count < 2)
		use_operands(v, in, 0);
	else if (in->opcode == SC_PTX_LD || in->opcode == SC_PTX_LDU)
		pass_load(v, in);
	else if (in->opcode == SC_PTX_ST)
		pass_store(v, in);
	else if (!moved)
		use_operands(v, in, 0);
	else
		pass_move(v, in, moved);
}

/* Beside loads that name it. */
static bool reads_own(const struct sc_instruction *in)
{
	switch (in->opcode) {
	case SC_PTX_LD:
	case SC_PTX_ST:
	case SC_PTX_CVTA: return 0;
	case SC_PTX_CALL:
	case SC_PTX_WMMA:
	case SC_PTX_WGMMA:
	case SC_PTX_TCGEN05:
	case SC_PTX_LDMATRIX: return 1;
	default:
		return in->space == SC_SPACE_SHARED || in->space2 == SC_SPACE_SHARED ||
		       in->space == SC_SPACE_LOCAL;
	}
}

static void look_at_own(struct values *v)
{
	v->is_reached = !v->d->f->is_kernel;
	for (size_t i = 0; i < v->d->f->code.count; i++) {
		const struct sc_instruction *in = &v->d->f->code.items[i];

		v->is_used[v->own] |= reads_own(in);
		if (in->opcode == SC_PTX_CVTA && !(in->flags & SC_PART_TO))
			v->is_reached |=
				in->space == SC_SPACE_SHARED || in->space == SC_SPACE_LOCAL;
	}
}

/* False: it takes too long. */
static bool find_used(struct values *v)
{
	unsigned passes = 0;

	look_at_own(v);
	do {
		v->has_changed = 0;
		for (size_t i = v->d->f->code.count; i-- > 0;)
			pass(v, &v->d->f->code.items[i]);
	} while (v->has_changed && ++passes < PASSES_MOST);
	return !v->has_changed;
}

/* ---- exchanges ---- */

static bool is_exchange(const struct values *v, const struct sc_instruction *in)
{
	return in->opcode == SC_PTX_ATOM && in->count > 2 &&
	       strstr(v->d->m->names.items[in->name], ".exch.");
}

/* An operand, or each of several, stands in no other place of the code. */
static bool is_alone(const struct values *v, const struct sc_ptx_operand *o, unsigned depth)
{
	const struct sc_ptx_operand *all = v->d->f->operands.items;
	unsigned places = 0;

	if (o->kind != SC_OPERAND_REGISTER) {
		for (uint32_t i = 0; depth && is_list(o) && i < o->count; i++)
			if (!is_alone(v, &all[o->id + i], depth - 1))
				return 0;
		return 1;
	}
	for (size_t i = 0; i < v->d->f->operands.count; i++)
		places += all[i].kind == SC_OPERAND_REGISTER && all[i].id == o->id;
	return places == 1;
}

static bool only_moves(const struct values *v, const struct sc_instruction *in,
		       const struct exec_instruction *out)
{
	if (in->opcode == SC_PTX_LD && in->count == 2 && out->use == EXEC_READ)
		return !wants(v, operands_of(v, in));
	return is_exchange(v, in) && is_alone(v, operands_of(v, in), 1);
}

void exec_moved_mark(const struct exec_decoder *d)
{
	size_t registers = d->f->registers.count;
	struct values v = {.d = d, .own = (uint32_t)registers};
	bool is_known;

	v.is_used = calloc(registers + 1, sizeof(*v.is_used));
	if (!v.is_used)
		return;
	is_known = find_used(&v);
	for (size_t i = 0; is_known && i < d->f->code.count; i++) {
		const struct sc_instruction *in = &d->f->code.items[i];
		struct exec_instruction *out = &d->k->code[d->at[i + 1] - 1];

		out->moves = only_moves(&v, in, out);
	}
	free(v.is_used);
}
