/* A kernel flattened: its own code with the functions it calls copied in. */
#include "footprint/flat.h"

#include <stdbool.h>
#include <string.h>

#define NONE UINT32_MAX

/* One copy of one function in the flat code. */
struct instance {
	const struct sc_function *f;
	const struct instance *caller;
	uint32_t number;
	uint32_t registers; /* offset of its registers */
	uint32_t labels;
	uint32_t end_label; /* where its `ret` goes; NONE in the kernel */
	unsigned depth;
};

struct flattener {
	struct sc_flat *out;
	struct sc_ptx *m;
	struct sc_u64_map memories; /* instance, symbol → parameter memory + 1 */
	struct sc_u64_map places;   /* memory, offset, width → register + 1 */
	struct sc_u64_map bytes;    /* memory, byte → register + 1 that owns it */
	SC_VECTOR(bool) mixed;	    /* of each memory */
	SC_VECTOR(uint32_t) owners; /* of each register: memory + 1 */
	uint32_t instances;
};

static void copy_code(struct flattener *w, const struct instance *in);

static uint32_t memory_of(struct flattener *w, uint32_t instance, uint32_t symbol)
{
	uint64_t *memory = sc_u64_map_get(&w->memories, (uint64_t)instance << 32 | symbol);

	if (!*memory) {
		sc_vector_push(&w->mixed, 0);
		*memory = w->mixed.count;
	}
	return (uint32_t)(*memory - 1);
}

static uint32_t add_register(struct flattener *w, uint8_t type, uint32_t memory_plus)
{
	sc_vector_push(&w->out->f.registers, type);
	sc_vector_push(&w->owners, memory_plus);
	return (uint32_t)(w->out->f.registers.count - 1);
}

/* Register that stands for `bits` bits of parameter memory at an offset. */
static uint32_t place_register(struct flattener *w, uint32_t memory, int64_t offset, unsigned bits)
{
	uint64_t key = (uint64_t)memory << 32 | ((uint64_t)offset & 0xffffff) << 8 | bits;
	uint64_t *place = sc_u64_map_get(&w->places, key);

	if (*place)
		return (uint32_t)(*place - 1);
	*place = 1 + add_register(w,
				  bits == 64   ? SC_TYPE_B64
				  : bits == 32 ? SC_TYPE_B32
				  : bits == 16 ? SC_TYPE_B16
					       : SC_TYPE_B8,
				  memory + 1);
	for (unsigned i = 0; i < bits / 8; i++) {
		uint64_t *byte = sc_u64_map_get(
			&w->bytes, (uint64_t)memory << 32 | (((uint64_t)offset + i) & 0xffffffff));

		if (*byte && *byte != w->out->f.registers.count)
			w->mixed.items[memory] = 1;
		*byte = w->out->f.registers.count;
	}
	return (uint32_t)(w->out->f.registers.count - 1);
}

/* True for parameters of the kernel itself: those are read from the launch's image. */
static bool is_kernel_param(const struct instance *in, uint32_t symbol)
{
	return in->end_label == NONE && symbol >= in->f->param_first &&
	       symbol - in->f->param_first < in->f->param_count;
}

/* Parameter memory of an address operand like [param0+8], or NONE. */
static uint32_t place_memory(struct flattener *w, const struct instance *in,
			     const struct sc_ptx_operand *address)
{
	const struct sc_ptx_operand *base;

	if (address->kind != SC_OPERAND_ADDRESS || address->count != 1)
		return NONE;
	base = &in->f->operands.items[address->id];
	if (base->kind != SC_OPERAND_SYMBOL ||
	    w->m->symbols.items[base->id].space != SC_SPACE_PARAM || is_kernel_param(in, base->id))
		return NONE;
	return memory_of(w, in->number, base->id);
}

static struct sc_ptx_operand copy_operand(struct flattener *w, const struct instance *in,
					  const struct sc_ptx_operand *from, unsigned depth)
{
	struct sc_ptx_operand out = *from;
	uint32_t memory;
	size_t first;

	if (from->kind == SC_OPERAND_REGISTER)
		out.id += in->registers;
	if (from->kind == SC_OPERAND_LABEL)
		out.id += in->labels;
	if (from->kind == SC_OPERAND_SYMBOL &&
	    w->m->symbols.items[from->id].space == SC_SPACE_PARAM &&
	    !is_kernel_param(in, from->id)) {
		memory = memory_of(w, in->number, from->id);
		w->mixed.items[memory] = 1;
	}
	if (from->kind != SC_OPERAND_ADDRESS && from->kind != SC_OPERAND_VECTOR)
		return out;
	if (depth > 4)
		return (struct sc_ptx_operand){.kind = SC_OPERAND_SINK};
	first = w->out->f.operands.count;
	sc_vector_reserve(&w->out->f.operands, from->count);
	w->out->f.operands.count += from->count;
	out.id = (uint32_t)first;
	for (uint32_t i = 0; i < from->count; i++) {
		struct sc_ptx_operand inner =
			copy_operand(w, in, &in->f->operands.items[from->id + i], depth + 1);

		w->out->f.operands.items[first + i] = inner;
	}
	return out;
}

/* One move of an st.param or ld.param; `element` counts in a vector. */
static void move_place(struct flattener *w, const struct instance *in,
		       const struct sc_instruction *code, uint32_t memory, uint32_t element)
{
	bool store = code->opcode == SC_PTX_ST;
	const struct sc_ptx_operand *operands = &in->f->operands.items[code->first];
	const struct sc_ptx_operand *value = &operands[store ? 1 : 0];
	unsigned bits = sc_type_bits(code->type);
	struct sc_ptx_operand place = {.kind = SC_OPERAND_REGISTER};
	struct sc_instruction move = *code;

	if (value->kind == SC_OPERAND_VECTOR)
		value = element < value->count ? &in->f->operands.items[value->id + element] : NULL;
	if (!value || bits < 8 || bits > 64)
		return;
	place.id = place_register(w, memory, operands[store ? 0 : 1].value + element * (bits / 8),
				  bits);
	move.vector = 1;
	move.count = 2;
	move.first = (uint32_t)w->out->f.operands.count;
	sc_vector_push(&w->out->f.operands, place);
	sc_vector_push(&w->out->f.operands, copy_operand(w, in, value, 0));
	if (!store) {
		struct sc_ptx_operand *two = &w->out->f.operands.items[move.first];
		struct sc_ptx_operand swap = two[0];

		two[0] = two[1];
		two[1] = swap;
	}
	sc_vector_push(&w->out->f.code, move);
}

static bool copy_place(struct flattener *w, const struct instance *in,
		       const struct sc_instruction *code)
{
	const struct sc_ptx_operand *operands = &in->f->operands.items[code->first];
	uint32_t memory;

	if ((code->opcode != SC_PTX_LD && code->opcode != SC_PTX_ST) || code->count != 2)
		return 0;
	memory = place_memory(w, in, &operands[code->opcode == SC_PTX_ST ? 0 : 1]);
	if (memory == NONE)
		return 0;
	for (uint32_t i = 0; i < code->vector; i++)
		move_place(w, in, code, memory, i);
	return 1;
}

static void copy_plain(struct flattener *w, const struct instance *in,
		       const struct sc_instruction *code)
{
	struct sc_instruction out = *code;
	struct sc_ptx_operand list = {
		.kind = SC_OPERAND_VECTOR, .id = code->first, .count = code->count};

	if (out.guard)
		out.guard += in->registers;
	if (out.opcode == SC_PTX_CALL)
		out.rows = SC_CALL_UNKNOWN;
	out.first = copy_operand(w, in, &list, 0).id;
	sc_vector_push(&w->out->f.code, out);
}

static void add_branch(struct flattener *w, const struct instance *in,
		       const struct sc_instruction *guard, uint32_t label, bool inverted)
{
	struct sc_instruction out = {.opcode = SC_PTX_BRA, .vector = 1, .count = 1};
	struct sc_ptx_operand target = {.kind = SC_OPERAND_LABEL, .id = label};

	if (guard->guard)
		out.guard = guard->guard + in->registers;
	out.guard_negated = guard->guard_negated ^ inverted;
	out.first = (uint32_t)w->out->f.operands.count;
	sc_vector_push(&w->out->f.operands, target);
	sc_vector_push(&w->out->f.code, out);
}

static uint32_t add_label(struct flattener *w)
{
	sc_vector_push(&w->out->f.labels, 0);
	return (uint32_t)(w->out->f.labels.count - 1);
}

/* Lets the callee's parameters be the caller's places; false if the lists do not fit. */
static bool bind_list(struct flattener *w, const struct instance *caller, uint32_t callee,
		      const struct sc_ptx_operand *list, uint32_t first, uint32_t count)
{
	if (!list)
		return !count;
	if (list->kind != SC_OPERAND_VECTOR || list->count != count)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct sc_ptx_operand *o = &caller->f->operands.items[list->id + i];

		if (o->kind != SC_OPERAND_SYMBOL ||
		    w->m->symbols.items[o->id].space != SC_SPACE_PARAM ||
		    is_kernel_param(caller, o->id))
			return 0;
		*sc_u64_map_get(&w->memories, (uint64_t)callee << 32 | (first + i)) =
			memory_of(w, caller->number, o->id) + 1;
	}
	return 1;
}

/* The operands of a call: (results), function, (arguments). */
struct call {
	const struct sc_ptx_operand *results;
	const struct sc_ptx_operand *target;
	const struct sc_ptx_operand *arguments;
};

static struct call read_call(const struct sc_function *f, const struct sc_instruction *code)
{
	struct call c = {0};

	for (uint32_t i = 0; i < code->count; i++) {
		const struct sc_ptx_operand *o = &f->operands.items[code->first + i];

		if (o->kind == SC_OPERAND_VECTOR && !c.target)
			c.results = o;
		else if (!c.target)
			c.target = o;
		else if (o->kind == SC_OPERAND_VECTOR && !c.arguments)
			c.arguments = o;
	}
	return c;
}

static bool is_active(const struct instance *in, const struct sc_function *f)
{
	for (; in; in = in->caller)
		if (in->f == f)
			return 1;
	return 0;
}

/* Copies the called function in place of the call; false if that is not possible. */
static bool copy_call(struct flattener *w, const struct instance *in,
		      const struct sc_instruction *code)
{
	struct call c = read_call(in->f, code);
	const struct sc_function *f =
		c.target && c.target->kind == SC_OPERAND_NAME
			? sc_ptx_body(w->m, sc_ptx_function(w->m, c.target->id))
			: NULL;
	struct instance callee = {.f = f, .caller = in, .depth = in->depth + 1};
	uint32_t after;

	if (!f || f->is_kernel || f->odd_params || callee.depth > SC_FLAT_DEPTH ||
	    is_active(in, f) || w->out->f.code.count + f->code.count > SC_FLAT_INSTRUCTIONS ||
	    w->out->f.labels.count + f->labels.count > SC_FLAT_INSTRUCTIONS)
		return 0;
	callee.number = ++w->instances;
	if (!bind_list(w, in, callee.number, c.results, f->return_first, f->return_count) ||
	    !bind_list(w, in, callee.number, c.arguments, f->param_first, f->param_count))
		return 0;
	after = add_label(w);
	callee.end_label = after;
	if (code->guard)
		add_branch(w, in, code, after, 1);
	copy_code(w, &callee);
	w->out->f.labels.items[after] = (uint32_t)w->out->f.code.count;
	return 1;
}

/* A call of a function without a body: a trap, or a call that stays. */
static void copy_external(struct flattener *w, const struct instance *in,
			  const struct sc_instruction *code)
{
	static const struct {
		const char *name;
		enum { QUIET, TRAP } kind;
	} externals[] = {
#define EXTERNAL(name, kind) {name, kind},
#include "footprint/external.def"
#undef EXTERNAL
	};
	struct call c = read_call(in->f, code);
	struct sc_instruction *out;

	copy_plain(w, in, code);
	out = sc_vector_last(&w->out->f.code);
	if (!c.target || c.target->kind != SC_OPERAND_NAME || sc_ptx_function(w->m, c.target->id))
		return;
	for (size_t i = 0; i < sizeof(externals) / sizeof(*externals); i++) {
		if (strcmp(externals[i].name, w->m->names.items[c.target->id]))
			continue;
		out->rows = SC_CALL_QUIET;
		if (externals[i].kind == TRAP)
			out->opcode = SC_PTX_TRAP;
	}
}

static void copy_instruction(struct flattener *w, const struct instance *in,
			     const struct sc_instruction *code)
{
	if (code->opcode == SC_PTX_CALL) {
		if (!copy_call(w, in, code))
			copy_external(w, in, code);
	} else if (code->opcode == SC_PTX_RET && in->end_label != NONE) {
		add_branch(w, in, code, in->end_label, 0);
	} else if (!copy_place(w, in, code)) {
		copy_plain(w, in, code);
	}
}

/* Lists of branch targets move along with the labels. */
static void copy_labels(struct flattener *w, const struct instance *in, const uint32_t *starts)
{
	for (size_t i = 0; i < in->f->labels.count; i++) {
		uint32_t at = in->f->labels.items[i];
		uint32_t *to = &w->out->f.labels.items[in->labels + i];

		if (!(at & SC_LABEL_TARGETS)) {
			*to = starts[at <= in->f->code.count ? at : in->f->code.count];
			continue;
		}
		at &= ~SC_LABEL_TARGETS;
		*to = SC_LABEL_TARGETS | (uint32_t)w->out->f.targets.count;
		sc_vector_push(&w->out->f.targets, in->f->targets.items[at]);
		for (uint32_t n = 0; n < in->f->targets.items[at]; n++)
			sc_vector_push(&w->out->f.targets,
				       in->f->targets.items[at + 1 + n] + in->labels);
	}
}

static void copy_code(struct flattener *w, const struct instance *from)
{
	struct instance in = *from;
	SC_VECTOR(uint32_t) starts = {0};

	w->out->is_odd |= in.f->is_odd;
	in.registers = (uint32_t)w->out->f.registers.count;
	in.labels = (uint32_t)w->out->f.labels.count;
	for (size_t i = 0; i < in.f->registers.count; i++)
		add_register(w, in.f->registers.items[i], 0);
	for (size_t i = 0; i < in.f->labels.count; i++)
		sc_vector_push(&w->out->f.labels, 0);
	for (size_t i = 0; i < in.f->code.count; i++) {
		sc_vector_push(&starts, (uint32_t)w->out->f.code.count);
		if (w->out->f.code.count < SC_FLAT_INSTRUCTIONS)
			copy_instruction(w, &in, &in.f->code.items[i]);
		else
			w->out->cut = 1;
	}
	sc_vector_push(&starts, (uint32_t)w->out->f.code.count);
	copy_labels(w, &in, starts.items);
	sc_vector_fini(&starts);
}

void sc_flat_make(struct sc_flat *flat, struct sc_ptx *m, const struct sc_function *kernel)
{
	struct flattener w = {.out = flat, .m = m};
	struct instance root = {.f = kernel, .end_label = NONE};
	/* Nothing jumps to the very first instruction, so the entry block has no predecessor. */
	const struct sc_instruction entry = {.opcode = SC_PTX_BAR, .vector = 1};
	const struct sc_ptx_operand nothing = {.kind = SC_OPERAND_SINK};

	memset(flat, 0, sizeof(*flat));
	sc_vector_push(&flat->f.operands, nothing);
	sc_vector_push(&flat->f.code, entry);
	copy_code(&w, &root);
	for (size_t i = 0; i < flat->f.registers.count; i++)
		sc_vector_push(&flat->unknown,
			       w.owners.items[i] && w.mixed.items[w.owners.items[i] - 1]);
	sc_u64_map_fini(&w.memories);
	sc_u64_map_fini(&w.places);
	sc_u64_map_fini(&w.bytes);
	sc_vector_fini(&w.mixed);
	sc_vector_fini(&w.owners);
}

void sc_flat_fini(struct sc_flat *flat)
{
	sc_vector_fini(&flat->f.code);
	sc_vector_fini(&flat->f.operands);
	sc_vector_fini(&flat->f.labels);
	sc_vector_fini(&flat->f.registers);
	sc_vector_fini(&flat->f.targets);
	sc_vector_fini(&flat->unknown);
}
