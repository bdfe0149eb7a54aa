/* Rule 142, and 128 for mapped memory: what is mapped, which devices may use it, and by which
 * address. */
#include <stdbool.h>
#include "analyzer/order/signal_word.h"
#include "analyzer/rules/family.h"
#include "analyzer/rules/lifetime.h"
#include "analyzer/rules/rights.h"

#define READ_BIT  1u /* of the `value` of a VMM_ACCESS op */
#define WRITE_BIT 2u
#define DEVICES	  64

/* Calls `act` for each mapping that begins in the op's range. */
static void for_each(struct sc_analysis *a, const struct sc_step *step,
		     void (*act)(struct sc_analysis *a, const struct sc_step *step,
				 struct sc_allocation *memory))
{
	uint64_t end;
	struct sc_range *r;

	if (__builtin_add_overflow(step->op->dst, step->op->bytes, &end))
		end = UINT64_MAX;
	for (r = sc_ranges_from(&a->memory.live, step->op->dst); r && r->start < end;) {
		struct sc_allocation *memory = ((struct sc_address *)r)->allocation;
		uint64_t next = r->end;

		if (memory->physical)
			act(a, step, memory);
		r = sc_ranges_from(&a->memory.live, next);
	}
}

static void unmap(struct sc_analysis *a, const struct sc_step *step, struct sc_allocation *memory)
{
	sc_lifetime_check_end(a, step, memory, SC_END_UNMAPPED, -1);
	sc_memory_end(&a->memory, memory, step->sequence);
}

/* Rights that are taken away are the end of the memory for that device. */
static void set_access(struct sc_analysis *a, const struct sc_step *step,
		       struct sc_allocation *memory)
{
	const struct sc_op *op = step->op;
	uint64_t bit = UINT64_C(1) << op->device % DEVICES;
	bool reads = op->value & READ_BIT, writes = op->value & WRITE_BIT;

	if (op->device >= DEVICES)
		return;
	if ((memory->readers & bit && !reads) || (memory->writers & bit && !writes))
		sc_lifetime_check_end(a, step, memory, SC_END_UNMAPPED, op->device);
	sc_rights_changed(a);
	memory->readers = reads ? memory->readers | bit : memory->readers & ~bit;
	memory->writers = writes ? memory->writers | bit : memory->writers & ~bit;
}

/* Whether the kernel's device was not given the right to what the use does. */
static bool lacks_right(const struct sc_use *use, unsigned device)
{
	uint64_t bit = UINT64_C(1) << device % DEVICES;
	const struct sc_allocation *m = use->allocation;

	if (device >= DEVICES)
		return 0;
	if (use->shape.known == SC_KNOWN_PARAMETER)
		return !(m->readers & bit); /* it may only read */
	return !(m->readers & bit) || (sc_mode_writes(use->shape.mode) && !(m->writers & bit));
}

static void file(struct sc_analysis *a, unsigned rule, const struct sc_worker *w,
		 const struct sc_use *use)
{
	struct sc_finding f = sc_worker_finding(a, rule, w, use);

	sc_worker_file(a, w, &f);
}

/* Copies work without rights or are refused (D-4); kernels fault. */
static bool check_right(struct sc_analysis *a, const struct sc_worker *w, const struct sc_use *use)
{
	unsigned device = w->context->device;
	bool is_own = !(use->allocation->readers & ~(UINT64_C(1) << device % DEVICES));

	if (!lacks_right(use, device))
		return 0;
	file(a, is_own ? SC_RULE_142 : SC_RULE_128, w, use);
	return 1;
}

/* Two addresses of one kernel lead to the same bytes, and one of them is written through. */
static bool are_aliases(const struct sc_use *x, const struct sc_use *y, bool *is_sure)
{
	struct sc_access moved = x->shape;
	uint64_t shift, first, end;
	enum sc_overlap overlap;

	if (x->allocation == y->allocation || !y->allocation->physical ||
	    !(sc_mode_writes(x->shape.mode) || sc_mode_writes(y->shape.mode)) ||
	    !sc_memory_shares(x->allocation, y->allocation, &shift))
		return 0;
	moved.base += shift;
	overlap = sc_shape_overlap(&moved, &y->shape, &first, &end);
	*is_sure = overlap == SC_OVERLAPS;
	return overlap != SC_APART;
}

static void file_aliases(struct sc_analysis *a, const struct sc_worker *w, const struct sc_use *x,
			 const struct sc_use *y, bool is_sure)
{
	struct sc_use worse = x->shape.known > y->shape.known ? *x : *y;
	unsigned grid = sc_code_grid(a->order.code, sc_worker_op(w)->object);

	if (!is_sure && worse.shape.known == SC_KNOWN_EXACT)
		worse.shape.known = SC_KNOWN_OVER;
	/* Whether the kernel has the fence is only known for code that was read. */
	if (!(grid & SC_GRID_KNOWN) && worse.shape.known == SC_KNOWN_EXACT)
		worse.shape.known = SC_KNOWN_OVER;
	if (!(grid & SC_GRID_ALIAS_FENCE))
		file(a, SC_RULE_142, w, &worse);
}

static void check_aliases(struct sc_analysis *a, const struct sc_worker *w)
{
	for (size_t i = 0; i < a->uses.count; i++) {
		const struct sc_use *x = &a->uses.items[i];

		for (size_t j = i + 1; x->allocation->physical && j < a->uses.count; j++) {
			bool is_sure;

			if (!are_aliases(x, &a->uses.items[j], &is_sure))
				continue;
			file_aliases(a, w, x, &a->uses.items[j], is_sure);
			return;
		}
	}
}

void sc_mapping_check(struct sc_analysis *a, const struct sc_worker *w)
{
	for (size_t i = 0; i < a->uses.count; i++)
		if (a->uses.items[i].allocation->physical && check_right(a, w, &a->uses.items[i]))
			return;
	check_aliases(a, w);
}

static void map(struct sc_analysis *a, const struct sc_record *r)
{
	if (sc_memory_add(&a->memory, &r->op, r->sequence))
		sc_signal_word_forget(&a->order, r->op.dst, r->op.dst + r->op.bytes);
}

static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	(void)state;
	return a->memory.mapped.count > 0;
}

static const uint16_t kinds[] = {SC_OP_VMM_MAP, SC_OP_VMM_UNMAP, SC_OP_VMM_ACCESS, SC_OP_KERNEL,
				 SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	const struct sc_op *op = &r->op;

	(void)state;
	if (!sc_op_took_effect(op))
		return;
	switch (op->kind) {
	case SC_OP_VMM_MAP: map(a, r); break;
	case SC_OP_VMM_UNMAP: for_each(a, step, unmap); break;
	case SC_OP_VMM_ACCESS: for_each(a, step, set_access); break;
	case SC_OP_KERNEL:
		if (step->is_enqueued && a->memory.mapped.count)
			sc_mapping_check(a, &(struct sc_worker){.step = step,
								.context = step->stream->context});
		break;
	default: break;
	}
}

const struct sc_rule_family sc_rules_mapping = {
	.kinds = kinds,
	.sees_routine = sees_routine,
	.step = check_record,
};
