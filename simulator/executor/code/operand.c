/* Operands: from names and numbers in the text to slots. */
#include "simulator/executor/code/operand.h"

#include <stdlib.h>
#include <string.h>

#include "simulator/executor/warp.h"

exec_slot exec_operand_constant(struct exec_decoder *d, uint64_t value, unsigned bytes)
{
	uint64_t *slot = sc_u64_map_get(&d->constant_slots[bytes], value);

	if (*slot)
		return (exec_slot)(*slot - 1);
	while (d->constants.count % 64)
		sc_vector_push(&d->constants, 0);
	*slot = (d->constants.count | EXEC_BANK_CONSTANTS) + 1;
	for (unsigned i = 0; i < EXEC_LANES; i++)
		for (unsigned b = 0; b < bytes; b++)
			sc_vector_push(&d->constants, (unsigned char)(value >> 8 * b));
	return (exec_slot)(*slot - 1);
}

void exec_operand_init(struct exec_decoder *d)
{
	for (unsigned i = 0; i < 4; i++)
		sc_vector_push(&d->constants, UINT8_MAX);
	for (unsigned i = 0; i < 4; i++)
		sc_vector_push(&d->constants, 0);
	d->registers = calloc(2 * (d->f->registers.count + 1), sizeof(*d->registers));
}

void exec_operand_fini(struct exec_decoder *d)
{
	sc_vector_fini(&d->constants);
	sc_vector_fini(&d->frame_registers);
	sc_vector_fini(&d->widths);
	sc_vector_fini(&d->references);
	sc_vector_fini(&d->lists);
	for (unsigned i = 0; i < 9; i++)
		sc_u64_map_fini(&d->constant_slots[i]);
	sc_u64_map_fini(&d->places);
	free(d->registers);
}

/* ---- symbols ---- */

/* A parameter of a kernel, which all threads have in common. */
static bool is_launch_param(const struct exec_decoder *d, uint32_t id)
{
	return d->f->is_kernel && id - d->f->param_first < d->f->param_count;
}

static bool lies_in_frame(const struct exec_decoder *d, uint32_t id)
{
	unsigned space = d->m->symbols.items[id].space;

	return space == SC_SPACE_LOCAL || (space == SC_SPACE_PARAM && !is_launch_param(d, id));
}

static bool place(struct exec_decoder *d, uint32_t id)
{
	const struct sc_ptx_symbol *s = &d->m->symbols.items[id];
	uint64_t *place = sc_u64_map_get(&d->places, id);
	uint64_t align = s->align > 1 && s->align <= 4096 ? s->align : 1, at;

	if (*place)
		return 1;
	at = (d->k->local_bytes + align - 1) / align * align;
	*place = at + 1;
	if (s->bytes > EXEC_LOCAL_MOST || at + s->bytes > EXEC_LOCAL_MOST)
		return 0;
	d->k->local_bytes = (uint32_t)(at + s->bytes);
	return 1;
}

void exec_operand_place_symbols(struct exec_decoder *d)
{
	const struct sc_function *f = d->f;
	bool fits = 1;

	for (uint32_t i = 0; !f->is_kernel && i < f->param_count; i++)
		fits &= place(d, f->param_first + i);
	for (uint32_t i = 0; !f->is_kernel && i < f->return_count; i++)
		fits &= place(d, f->return_first + i);
	for (size_t i = 0; i < f->operands.count; i++) {
		const struct sc_ptx_operand *o = &f->operands.items[i];

		if (o->kind == SC_OPERAND_SYMBOL && lies_in_frame(d, o->id))
			fits &= place(d, o->id);
	}
	if (!fits)
		strcpy(d->problem, "its variables are too large");
}

bool exec_operand_variable(const struct exec_decoder *d, uint32_t id, struct exec_variable *out)
{
	const uint64_t *place = sc_u64_map_find(&d->places, id);

	if (!place)
		return 0;
	*out = (struct exec_variable){(uint32_t)(*place - 1),
				      (uint32_t)d->m->symbols.items[id].bytes};
	return 1;
}

static uint64_t variable_address(const struct exec_decoder *d, const char *name)
{
	return d->unit->address_of ? d->unit->address_of(d->unit->context, name) : 0;
}

/* The address of a symbol outside of the frame. */
static bool find_symbol(struct exec_decoder *d, uint32_t id, uint64_t *value)
{
	const struct sc_ptx_symbol *s = &d->m->symbols.items[id];
	const uint64_t *place;

	if (s->space == SC_SPACE_PARAM) {
		*value = s->offset;
		return 1;
	}
	if (s->space == SC_SPACE_SHARED) {
		place = sc_u64_map_find(&d->unit->shared, (uintptr_t)s);
		*value = place ? *place - 1 : 0;
		return place != NULL;
	}
	*value = variable_address(d, d->m->names.items[s->name]);
	return *value != 0;
}

/* ---- values ---- */

static unsigned register_width(unsigned type)
{
	unsigned bits = sc_type_bits(type);

	if (type == SC_TYPE_PRED || !bits || bits > 64)
		return 0;
	return bits <= 16 ? 2 : bits / 8;
}

unsigned exec_operand_width(const struct exec_decoder *d, const struct sc_ptx_operand *o)
{
	if (o->kind != SC_OPERAND_REGISTER || o->partial || o->value)
		return 0;
	return register_width(d->f->registers.items[o->id]);
}

static exec_slot new_register(struct exec_decoder *d, unsigned bytes)
{
	sc_vector_push(&d->widths, (uint8_t)bytes);
	return (exec_slot)(EXEC_FIRST_REGISTER + (d->widths.count - 1) * EXEC_REGISTER_STEP) |
	       EXEC_BANK_REGISTERS;
}

static exec_slot take_register(struct exec_decoder *d, uint32_t id, unsigned bytes, bool is_write)
{
	exec_slot *slot = &d->registers[id];
	uint32_t index;

	if (!*slot)
		*slot = new_register(d, bytes);
	index = (*slot - EXEC_FIRST_REGISTER) / EXEC_REGISTER_STEP;
	sc_vector_push(&d->references, ((struct exec_reference){d->now, index, is_write}));
	return *slot;
}

static bool take_predicate(struct exec_decoder *d, uint32_t id, bool is_write, exec_slot *slot)
{
	if (d->f->registers.items[id] != SC_TYPE_PRED)
		return 0;
	*slot = take_register(d, id, 0, is_write);
	return 1;
}

bool exec_operand_guard(struct exec_decoder *d, uint32_t id, exec_slot *slot)
{
	return take_predicate(d, id, 0, slot);
}

bool exec_operand_half(struct exec_decoder *d, const struct sc_ptx_operand *o, unsigned half,
		       bool is_write, exec_slot *slot)
{
	size_t id = o->id + half * (d->f->registers.count + 1);

	if (o->kind != SC_OPERAND_REGISTER || o->partial || o->value ||
	    d->f->registers.items[o->id] != SC_TYPE_B128)
		return 0;
	*slot = take_register(d, (uint32_t)id, 8, is_write);
	return 1;
}

static uint64_t float_bits(const struct sc_ptx_operand *o, unsigned bytes)
{
	uint64_t bits = (uint64_t)o->value;
	uint32_t low = (uint32_t)bits;
	double wide;
	float narrow;

	if (o->is_single == (bytes == 4))
		return bits;
	if (o->is_single) {
		memcpy(&narrow, &low, sizeof(narrow));
		wide = (double)narrow;
		memcpy(&bits, &wide, sizeof(bits));
		return bits;
	}
	memcpy(&wide, &bits, sizeof(wide));
	narrow = (float)wide;
	memcpy(&low, &narrow, sizeof(low));
	return low;
}

const char *exec_operand_special(const struct exec_decoder *d, const struct sc_ptx_operand *o)
{
	const char *name;

	if (o->kind == SC_OPERAND_SPECIAL)
		return sc_special_text(o->id);
	if (o->kind != SC_OPERAND_NAME)
		return NULL;
	name = d->m->names.items[o->id];
	return *name == '%' ? name : NULL;
}

/* Special registers that are the same in all launches: the low half of the address of the barrier
 * of all blocks, which cooperative groups read. */
static bool find_fixed(struct exec_decoder *d, const char *name, exec_slot *slot)
{
	static const struct {
		const char *name;
		uint32_t value;
	} fixed[] = {{"%envreg2", 0}};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		if (!strcmp(fixed[i].name, name)) {
			*slot = exec_operand_constant(d, fixed[i].value, 4);
			return 1;
		}
	return 0;
}

static bool find_special(struct exec_decoder *d, const struct sc_ptx_operand *o, exec_slot *slot)
{
	static const char *const names[] = {
#define SPECIAL(text, value) text,
#include "simulator/executor/code/special.def"
#undef SPECIAL
	};
	const char *name = exec_operand_special(d, o);

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name)) {
			*slot = (exec_slot)(i * EXEC_LANES * sizeof(uint32_t)) | EXEC_BANK_SPECIALS;
			d->k->reserves |= !strncmp(name, "%reserved_smem", 14);
			return 1;
		}
	return name && find_fixed(d, name, slot);
}

/* The address of a place in the frame: of a function's frame, a register that calls set. */
static exec_slot frame_address(struct exec_decoder *d, uint64_t offset, unsigned bytes)
{
	struct exec_frame_register r = {.offset = (uint32_t)offset, .width = (uint8_t)bytes};

	if (d->f->is_kernel)
		return exec_operand_constant(d, offset, bytes);
	for (size_t i = 0; i < d->frame_registers.count; i++)
		if (d->frame_registers.items[i].offset == r.offset &&
		    d->frame_registers.items[i].width == bytes)
			return d->frame_registers.items[i].slot;
	r.slot = new_register(d, bytes);
	sc_vector_push(&d->frame_registers, r);
	return r.slot;
}

static bool decode_symbol(struct exec_decoder *d, const struct sc_ptx_operand *o, unsigned bytes,
			  exec_slot *slot)
{
	struct exec_variable v;
	uint64_t value;

	if (exec_operand_variable(d, o->id, &v)) {
		*slot = frame_address(d, v.offset + (uint64_t)o->value, bytes);
		return bytes >= 4;
	}
	if (!find_symbol(d, o->id, &value))
		return 0;
	*slot = exec_operand_constant(d, value + (uint64_t)o->value, bytes);
	return 1;
}

/* A special register, or the address of a function. */
static bool decode_name(struct exec_decoder *d, const struct sc_ptx_operand *o, unsigned bytes,
			exec_slot *slot)
{
	uint64_t address;

	if (bytes == 4 && find_special(d, o, slot))
		return 1;
	if (bytes != 8 || o->kind != SC_OPERAND_NAME)
		return 0;
	address = exec_functions_address(d->unit->functions, d->m, d->m->names.items[o->id]);
	*slot = exec_operand_constant(d, address, bytes);
	return address != 0;
}

/* A source of so many bytes, or of its own width. */
bool exec_operand_value(struct exec_decoder *d, const struct sc_ptx_operand *o, unsigned bytes,
			exec_slot *slot, uint8_t *width)
{
	unsigned own = exec_operand_width(d, o);

	*width = (uint8_t)(bytes == EXEC_ANY_WIDTH ? own ? own : 8 : bytes);
	switch ((enum sc_operand_kind)o->kind) {
	case SC_OPERAND_REGISTER:
		if (own != *width || !own)
			return 0;
		*slot = take_register(d, o->id, own, 0);
		return 1;
	case SC_OPERAND_INTEGER:
		*slot = exec_operand_constant(d, (uint64_t)o->value, *width);
		return 1;
	case SC_OPERAND_FLOAT:
		if (bytes != 4 && bytes != 8)
			return 0;
		*slot = exec_operand_constant(d, float_bits(o, bytes), bytes);
		return 1;
	case SC_OPERAND_SPECIAL:
	case SC_OPERAND_NAME:
		if (bytes == EXEC_ANY_WIDTH)
			*width = 4;
		return decode_name(d, o, *width, slot);
	case SC_OPERAND_SYMBOL: return decode_symbol(d, o, *width, slot);
	case SC_OPERAND_SINK:
	case SC_OPERAND_LABEL:
	case SC_OPERAND_ADDRESS:
	case SC_OPERAND_VECTOR: break;
	}
	return 0;
}

bool exec_operand_source(struct exec_decoder *d, const struct sc_ptx_operand *o, unsigned bytes,
			 exec_slot *slot)
{
	uint8_t width;

	return exec_operand_value(d, o, bytes, slot, &width);
}

bool exec_operand_result(struct exec_decoder *d, const struct sc_ptx_operand *o, unsigned bytes,
			 exec_slot *slot, uint8_t *width)
{
	unsigned own = exec_operand_width(d, o);

	if (o->kind == SC_OPERAND_SINK) {
		*slot = EXEC_SLOT_SINK;
		*width = (uint8_t)(bytes == EXEC_ANY_WIDTH ? 8 : bytes);
		return 1;
	}
	if (!own || (bytes != EXEC_ANY_WIDTH && own != bytes))
		return 0;
	*slot = take_register(d, o->id, own, 1);
	*width = (uint8_t)own;
	return 1;
}

bool exec_operand_predicate(struct exec_decoder *d, const struct sc_ptx_operand *o, bool is_result,
			    exec_slot *slot)
{
	if (o->kind == SC_OPERAND_SINK && is_result) {
		*slot = EXEC_SLOT_SINK;
		return 1;
	}
	if (o->kind == SC_OPERAND_INTEGER && !is_result) {
		*slot = o->value ? EXEC_SLOT_TRUE : EXEC_SLOT_FALSE;
		return 1;
	}
	if (o->kind == SC_OPERAND_NAME && !is_result)
		return find_special(d, o, slot);
	return o->kind == SC_OPERAND_REGISTER && !o->partial && !o->value &&
	       take_predicate(d, o->id, is_result, slot);
}

bool exec_operand_address(struct exec_decoder *d, const struct sc_ptx_operand *o,
			  struct exec_instruction *out, unsigned k)
{
	const struct sc_ptx_operand *base;
	struct exec_variable v;
	uint64_t parameter;
	bool is_in_frame;

	if (o->kind != SC_OPERAND_ADDRESS || o->count != 1)
		return 0;
	base = &d->f->operands.items[o->id];
	out->value = (uint64_t)o->value;
	is_in_frame = base->kind == SC_OPERAND_SYMBOL && exec_operand_variable(d, base->id, &v);
	if (out->space == SC_SPACE_PARAM && (is_in_frame || !d->f->is_kernel))
		out->space = SC_SPACE_LOCAL;
	if (is_in_frame && out->space == SC_SPACE_LOCAL) {
		out->value += v.offset + (uint64_t)base->value;
		out->slot[k] = frame_address(d, 0, 8);
		out->width[k] = 8;
		return 1;
	}
	/* All parameters have one address, and offsets from it. */
	if (out->space == SC_SPACE_PARAM && base->kind == SC_OPERAND_SYMBOL &&
	    find_symbol(d, base->id, &parameter)) {
		out->value += parameter + (uint64_t)base->value;
		out->slot[k] = exec_operand_constant(d, 0, 8);
		out->width[k] = 8;
		return 1;
	}
	if (base->kind == SC_OPERAND_REGISTER && exec_operand_width(d, base) == 4)
		return exec_operand_value(d, base, 4, &out->slot[k], &out->width[k]);
	return exec_operand_value(d, base, 8, &out->slot[k], &out->width[k]);
}
