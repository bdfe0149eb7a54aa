/* Forms: the operands of an instruction, in the order in which a row names them. */
#include <ctype.h>
#include <string.h>

#include "simulator/executor/code/operand.h"
#include "simulator/executor/texture/tensor.h"
#include "simulator/executor/texture/texture.h"
#include "simulator/executor/warp.h"

#define LAST (EXEC_SLOTS - 1)

struct forming {
	struct exec_decoder *d;
	struct exec_instruction *out;
	const struct sc_ptx_operand *at, *end; /* operands left */
	unsigned k;			       /* the next slot */
	exec_slot *list;		       /* of lists, of the kernel's arena, or NULL */
	unsigned listed;
};

static const struct sc_ptx_operand *next_operand(struct forming *g)
{
	return g->at < g->end ? g->at++ : NULL;
}

/* A register of 128 bits stands for two of 64. */
static bool form_halves(struct forming *g, const struct sc_ptx_operand *o, bool is_result,
			exec_slot *slots)
{
	return exec_operand_half(g->d, o, 0, is_result, &slots[0]) &&
	       exec_operand_half(g->d, o, 1, is_result, &slots[1]);
}

/* {a, b} or a alone: its elements, from slot 2 on. */
static bool form_vector(struct forming *g, bool is_result)
{
	const struct sc_ptx_operand *o = next_operand(g), *inner = o;
	uint32_t count = 1;

	if (o && o->kind == SC_OPERAND_VECTOR) {
		inner = &g->d->f->operands.items[o->id];
		count = o->count;
	}
	if (o && g->out->count == 2 && form_halves(g, o, is_result, &g->out->slot[2])) {
		g->out->width[2] = g->out->width[3] = 8;
		return 1;
	}
	if (!o || count != g->out->count || count > EXEC_SLOTS - 2)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		exec_slot *slot = &g->out->slot[2 + i];
		uint8_t *width = &g->out->width[2 + i];
		unsigned bytes = inner[i].kind == SC_OPERAND_FLOAT /* as wide as the element */
					 ? sc_type_bits(g->out->type) / 8
					 : EXEC_ANY_WIDTH;

		if (is_result ? !exec_operand_result(g->d, &inner[i], EXEC_ANY_WIDTH, slot, width)
			      : !exec_operand_value(g->d, &inner[i], bytes, slot, width))
			return 0;
		if (*width * 8U < sc_type_bits(g->out->type))
			return 0;
	}
	return 1;
}

/* A result that may be a pair a|p: the predicate is the last slot. */
static bool form_pair(struct forming *g, bool is_predicate)
{
	const struct sc_ptx_operand *o = next_operand(g), *second = NULL;

	if (o && o->kind == SC_OPERAND_VECTOR && o->count == 2) {
		o = &g->d->f->operands.items[o->id];
		second = o + 1;
	}
	g->out->slot[LAST] = EXEC_SLOT_SINK;
	if (!o || (second && !exec_operand_predicate(g->d, second, 1, &g->out->slot[LAST])))
		return 0;
	if (is_predicate)
		return exec_operand_predicate(g->d, o, 1, &g->out->slot[g->k]);
	return exec_operand_result(g->d, o, 4, &g->out->slot[g->k], &g->out->width[g->k]);
}

static bool form_result(struct forming *g, char what)
{
	const struct sc_ptx_operand *o;
	exec_slot *slot = &g->out->slot[g->k];
	uint8_t *width = &g->out->width[g->k];

	if (what == 'q' || what == 's')
		return form_pair(g, what == 'q');
	if (what == 'v') {
		*slot = EXEC_SLOT_SINK;
		return form_vector(g, 1);
	}
	o = next_operand(g);
	if (!o)
		return 0;
	if (what == 'p')
		return exec_operand_predicate(g->d, o, 1, slot);
	return exec_operand_result(g->d, o, what == 'w' ? EXEC_ANY_WIDTH : (unsigned)(what - '0'),
				   slot, width) &&
	       (what != 'w' || *width * 8U >= sc_type_bits(g->out->type));
}

/* An address that is not the first one: its offset has the slot after it. */
static bool form_address(struct forming *g, const struct sc_ptx_operand *o)
{
	struct exec_instruction part = {0};

	if (!exec_operand_address(g->d, o, &part, 0))
		return 0;
	g->out->slot[g->k] = part.slot[0];
	g->out->width[g->k] = part.width[0];
	g->out->slot[++g->k] = exec_operand_constant(g->d, part.value, 8);
	return 1;
}

static bool form_source(struct forming *g, char what)
{
	const struct sc_ptx_operand *o;
	exec_slot *slot = &g->out->slot[g->k];
	uint8_t *width = &g->out->width[g->k];

	if (what == 'v') {
		bool ok = form_vector(g, 0);

		g->k = 1U + g->out->count;
		return ok;
	}
	o = next_operand(g);
	if (!o)
		return 0;
	switch (what) {
	case 'p':
		g->out->negated |= (uint8_t)(o->negated << g->k);
		return exec_operand_predicate(g->d, o, 0, slot);
	case 'a': return exec_operand_address(g->d, o, g->out, g->k);
	case 'b': return form_address(g, o);
	case 'i': g->out->value = (uint64_t)o->value; return o->kind == SC_OPERAND_INTEGER;
	case 'L': return o->kind == SC_OPERAND_LABEL;
	case 'x': return 1;
	case 'w':
		return exec_operand_value(g->d, o, EXEC_ANY_WIDTH, slot, width) &&
		       *width * 8U >= sc_type_bits(g->out->type2);
	}
	return exec_operand_value(g->d, o, (unsigned)(what - '0'), slot, width);
}

/* {a, b...} or a alone: so many registers of that width come into the instruction's list. */
static bool take_list(struct forming *g, const struct sc_ptx_operand *o, unsigned width,
		      unsigned count, bool is_result)
{
	const struct sc_ptx_operand *inner = o;
	uint32_t have = 1;

	if (o->kind == SC_OPERAND_VECTOR) {
		inner = &g->d->f->operands.items[o->id];
		have = o->count;
	}
	if (!count || g->listed + count > EXEC_LIST)
		return 0;
	if (!g->list) {
		g->list = sc_arena_xalloc(&g->d->k->arena, EXEC_LIST, sizeof(*g->list));
		sc_vector_push(&g->d->lists, g->list);
	}
	g->out->list = g->list;
	if (count == 2 && width == 8 && form_halves(g, o, is_result, g->list + g->listed)) {
		g->listed += 2;
		return 1;
	}
	if (have != count)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		exec_slot *slot = &g->list[g->listed++];
		uint8_t got;

		if (is_result ? !exec_operand_result(g->d, &inner[i], width, slot, &got)
			      : !exec_operand_value(g->d, &inner[i], width, slot, &got))
			return 0;
	}
	return 1;
}

/* The operand's slot has their place in the list. */
static bool form_list(struct forming *g, unsigned width, unsigned count, bool is_result)
{
	const struct sc_ptx_operand *o = next_operand(g);

	g->out->slot[g->k] = g->listed;
	g->out->width[g->k] = (uint8_t)width;
	return o && take_list(g, o, width, count, is_result);
}

/* A list of results; a predicate beside it is the last slot. */
static bool form_list_and_predicate(struct forming *g, unsigned width, unsigned count)
{
	const struct sc_ptx_operand *o = next_operand(g), *inner;

	g->out->slot[g->k] = g->listed;
	g->out->width[g->k] = (uint8_t)width;
	g->out->slot[LAST] = EXEC_SLOT_SINK;
	if (!o)
		return 0;
	inner = &g->d->f->operands.items[o->id];
	if (o->kind != SC_OPERAND_VECTOR || o->count != 2 || inner->kind != SC_OPERAND_VECTOR)
		return take_list(g, o, width, count, 1);
	return take_list(g, inner, width, count, 1) &&
	       exec_operand_predicate(g->d, inner + 1, 1, &g->out->slot[LAST]);
}

/* How many registers coordinates have, and numbers for each axis: those of three are four. */
static unsigned coordinate_count(const struct exec_instruction *out)
{
	static const uint8_t counts[EXEC_GEOMETRIES] = {
		[EXEC_1D] = 1,	[EXEC_2D] = 2,	 [EXEC_3D] = 4,	   [EXEC_A1D] = 2,
		[EXEC_A2D] = 4, [EXEC_CUBE] = 4, [EXEC_ACUBE] = 4,
	};

	return counts[out->geometry];
}

static unsigned axis_count(const struct exec_instruction *out)
{
	static const uint8_t counts[EXEC_GEOMETRIES] = {
		[EXEC_1D] = 1,	[EXEC_2D] = 2,	 [EXEC_3D] = 4,	   [EXEC_A1D] = 1,
		[EXEC_A2D] = 2, [EXEC_CUBE] = 4, [EXEC_ACUBE] = 4,
	};

	return counts[out->geometry];
}

/* A texture or surface object in a register, and coordinates. */
static bool form_texture(struct forming *g)
{
	const struct sc_ptx_operand *o = next_operand(g), *inner;

	if (!o || o->kind != SC_OPERAND_ADDRESS || o->count != 2 || o->value)
		return 0;
	inner = &g->d->f->operands.items[o->id];
	g->out->value = g->listed;
	return inner->kind == SC_OPERAND_REGISTER &&
	       exec_operand_value(g->d, inner, 8, &g->out->slot[g->k], &g->out->width[g->k]) &&
	       take_list(g, inner + 1, 4, coordinate_count(g->out), 0);
}

/* A register of 4 bytes, or a number, of which a part may be named: in the bits above its width. */
static bool form_part(struct forming *g, bool is_result)
{
	const struct sc_ptx_operand *o = next_operand(g);
	exec_slot *slot = &g->out->slot[g->k];
	uint8_t *width = &g->out->width[g->k];
	struct sc_ptx_operand whole;

	if (!o || o->partial == SC_COMPONENT_OTHER)
		return 0;
	whole = *o;
	whole.partial = SC_COMPONENT_NONE;
	if (is_result && !exec_operand_result(g->d, &whole, 4, slot, width))
		return 0;
	/* Of a result the rest stays: it is read, too. */
	if ((!is_result || o->partial != SC_COMPONENT_NONE) &&
	    !exec_operand_value(g->d, &whole, 4, slot, width))
		return 0;
	*width = (uint8_t)(*width | o->partial << EXEC_COMPONENT_SHIFT);
	return 1;
}

/* [map, {x, y}]: the map's address, its offset, and the coordinates in the instruction's list. */
static bool form_tensor(struct forming *g)
{
	const struct sc_ptx_operand *o = next_operand(g);
	struct sc_ptx_operand map;
	struct forming inner = *g;

	if (!o || o->kind != SC_OPERAND_ADDRESS || o->count != 2 || g->k + 2 >= EXEC_SLOTS)
		return 0;
	map = *o;
	map.count = 1;
	if (!form_address(g, &map))
		return 0;
	inner.at = &g->d->f->operands.items[o->id] + 1;
	inner.end = inner.at + 1;
	inner.k = ++g->k;
	g->out->count = (uint8_t)(inner.at->kind == SC_OPERAND_VECTOR ? inner.at->count : 1);
	if (inner.at->kind == SC_OPERAND_VECTOR && inner.at->count > EXEC_TENSOR_RANK)
		return 0;
	if (!form_list(&inner, 4, g->out->count, 0))
		return 0;
	g->list = inner.list;
	g->listed = inner.listed;
	return 1;
}

/* Offsets of pixels: after the coordinates in the list, so that they need no slot. */
static bool form_offsets(struct forming *g)
{
	const struct sc_ptx_operand *o = next_operand(g);

	return o && g->out->count > 2 && take_list(g, o, 2, g->out->count - 2U, 0);
}

/* Goes into a vector operand; out of it when all of it was taken. */
static bool form_inside(struct forming *g, const char **form, bool is_result)
{
	const struct sc_ptx_operand *o = next_operand(g);
	struct forming inner = *g;
	bool ok = o && o->kind == SC_OPERAND_VECTOR;

	if (!ok)
		return 0;
	inner.at = &g->d->f->operands.items[o->id];
	inner.end = inner.at + o->count;
	for (++*form; ok && **form != '}'; ++*form) {
		if (isspace((unsigned char)**form))
			continue;
		ok = is_result ? form_result(&inner, **form) : form_source(&inner, **form);
		inner.k++;
	}
	g->k = inner.k - 1;
	return ok && inner.at == inner.end;
}

/* "=V28": a vector of two results of 8 bytes, which its elements have, too. */
static bool form_exact(struct forming *g, unsigned count, unsigned width, bool is_result)
{
	if (g->out->count != count || sc_type_bits(g->out->type) != width * 8 ||
	    !form_vector(g, is_result))
		return 0;
	for (unsigned i = 0; i < count; i++)
		if (g->out->width[2 + i] != width)
			return 0;
	if (is_result)
		g->out->slot[0] = EXEC_SLOT_SINK;
	else
		g->k = 1U + count;
	return 1;
}

/* "=*84": a list of four results of 8 bytes. */
static bool form_listed(struct forming *g, const char **form)
{
	bool is_result = **form == '=';
	bool is_exact = (*form)[is_result] == 'V';

	*form += is_result ? 3 : 2;
	if (is_exact)
		return form_exact(g, (unsigned)((*form)[-1] - '0'), (unsigned)((*form)[0] - '0'),
				  is_result);
	return form_list(g, (unsigned)((*form)[-1] - '0'), (unsigned)((*form)[0] - '0'), is_result);
}

/* "=#4": so many results of 4 bytes for each element of the vector. */
static bool form_repeated(struct forming *g, const char **form)
{
	*form += 2;
	return form_list(g, 4, (unsigned)(**form - '0') * g->out->count, 1);
}

/* "=|*44": the same with a predicate. */
static bool form_listed_pair(struct forming *g, const char **form)
{
	*form += 4;
	return form_list_and_predicate(g, (unsigned)((*form)[-1] - '0'),
				       (unsigned)((*form)[0] - '0'));
}

bool exec_operand_decode(struct exec_decoder *d, const char *form, const struct sc_instruction *in,
			 struct exec_instruction *out)
{
	const struct sc_ptx_operand *first = &d->f->operands.items[in->first];
	struct forming g = {.d = d, .out = out, .at = first, .end = first + in->count};
	size_t references = d->references.count;
	bool ok = 1, is_optional = 0;

	for (; ok && *form; form++) {
		if (*form == '?')
			is_optional = 1;
		if (*form == '?' || *form == ' ')
			continue;
		if (is_optional && g.at == g.end)
			break;
		if (*form == 'o') {
			ok = form_offsets(&g);
			continue;
		}
		if (g.k >= EXEC_SLOTS && *form != 'x')
			return 0;
		if (*form == '_')
			out->slot[g.k] = EXEC_SLOT_SINK;
		else if (strchr("*V", form[*form == '=']))
			ok = form_listed(&g, &form);
		else if (*form == '=' && form[1] == '#')
			ok = form_repeated(&g, &form);
		else if (*form == '=' && form[1] == '|')
			ok = form_listed_pair(&g, &form);
		else if (*form == 't')
			ok = form_texture(&g);
		else if (*form == 'g')
			ok = form_list(&g, 4, axis_count(out), 0);
		else if (*form == '=' && form[1] == '{')
			ok = form_inside(&g, (++form, &form), 1);
		else if (*form == '{')
			ok = form_inside(&g, &form, 0);
		else if (*form == 'm' || (*form == '=' && form[1] == 'm'))
			ok = form_part(&g, *form == '=' && *++form);
		else if (*form == '=')
			ok = form_result(&g, *++form);
		else if (*form == 'T')
			ok = form_tensor(&g);
		else
			ok = form_source(&g, *form);
		g.k++;
	}
	if (ok && g.at == g.end)
		return 1;
	d->references.count = references; /* of another row they may be results */
	return 0;
}
