/* Accesses: from op fields, attached footprints and kernel parameters to uses of allocations. */
#include "analyzer/access.h"

#include "analyzer/launch.h"

/* Takes up the access that was put into the last use, at the address that the op gave. */
static struct sc_use *settle(struct sc_memory_map *m, sc_uses *out)
{
	struct sc_use *use = sc_vector_last(out);
	uint64_t canonical = use->shape.base;

	out->count--; /* until it is one */
	use->pointer = 0;
	use->is_host = 0;
	use->reason = 0;
	if (!sc_shape_simplify(&use->shape))
		return NULL;
	use->allocation = sc_memory_find(m, use->shape.base, &canonical);
	if (!use->allocation) {
		use->allocation = &m->implicit;
		if (use->shape.memory != SC_MEM_PAGEABLE && use->shape.known == SC_KNOWN_EXACT)
			use->shape.known = SC_KNOWN_OVER; /* nobody knows whose it was when */
	} else if (canonical != use->shape.base) {
		use->shape.base = canonical;
		if (!sc_shape_simplify(&use->shape)) /* it may be higher */
			return NULL;
	}
	out->count++;
	return use;
}

static void settle_operand(struct sc_memory_map *m, const struct sc_step *step, sc_uses *out)
{
	struct sc_use *use = sc_vector_last(out);

	if (use->shape.known == SC_KNOWN_PARAMETER) {
		uint64_t base = use->shape.base;

		out->count--;
		sc_launch_add_whole(m, base, SC_READ_WRITE, out);
		return;
	}
	use = settle(m, out);
	if (use)
		use->is_host = step->transfer.host_reads && use->shape.mode == SC_READ;
}

/* A batch of copies whose order is not recorded may read its sources during the call (4.6), and no
 * text says whether the promises of pageable memory hold for it. */
static _Bool is_vague(const struct sc_op *op, const struct sc_access *access)
{
	if (!sc_op_is_batch(op) || access->known != SC_KNOWN_EXACT)
		return 0;
	if (access->mode == SC_READ && access->order == SC_SOURCE_UNKNOWN)
		return 1;
	return access->memory == SC_MEM_PAGEABLE && access->order != SC_SOURCE_DURING_CALL;
}

/* The accesses that stand behind the op; false if there are none. */
static _Bool add_attached(struct sc_memory_map *m, const struct sc_record *record,
			  const struct sc_step *step, sc_uses *out)
{
	uint32_t bytes = 0;
	const struct sc_access *list = sc_record_attachment(record, SC_ATTACH_ACCESSES, &bytes);

	for (uint32_t i = 0; list && i < bytes / sizeof(*list); i++) {
		struct sc_access *access;

		if (list[i].mode < SC_READ || list[i].mode > SC_ATOMIC)
			continue;
		access = &sc_vector_add(out)->shape;
		*access = list[i];
		if (!sc_op_is_batch(step->op) || access->mode != SC_READ)
			access->order = SC_SOURCE_UNKNOWN;
		if (is_vague(step->op, access))
			access->known = SC_KNOWN_OVER;
		settle_operand(m, step, out);
	}
	return list != NULL;
}

static void add_linear(struct sc_memory_map *m, const struct sc_step *step, uint64_t base,
		       uint8_t mode, sc_uses *out)
{
	struct sc_access *access;

	if (!base)
		return;
	access = &sc_vector_add(out)->shape;
	*access = sc_shape_linear(base, step->op->bytes, mode, SC_KNOWN_EXACT);
	access->memory = mode == SC_READ ? step->op->src_mem : step->op->dst_mem;
	settle_operand(m, step, out);
}

static void add_host(struct sc_memory_map *m, const struct sc_op *op, sc_uses *out)
{
	_Bool is_read = op->kind == SC_OP_HOST_READ;
	struct sc_use *use = sc_vector_add(out);

	use->shape = sc_shape_linear(is_read ? op->src : op->dst, op->bytes ? op->bytes : 1,
				     is_read ? SC_READ : SC_WRITE, SC_KNOWN_EXACT);
	use->shape.memory = is_read ? op->src_mem : op->dst_mem;
	if (!use->shape.memory)
		use->shape.memory = SC_MEM_PAGEABLE;
	use = settle(m, out);
	if (use)
		use->is_host = 1;
}

/* Which tiles of the array is not looked at (P-12). */
static void add_tiles(struct sc_memory_map *m, const struct sc_op *op, sc_uses *out)
{
	uint64_t unused;
	struct sc_allocation *a = sc_memory_find(m, op->dst, &unused);
	struct sc_use use = {.allocation = a};

	if (!a)
		return;
	use.shape = sc_shape_linear(a->home.range.start, a->home.range.end - a->home.range.start,
				    SC_WRITE, SC_KNOWN_OVER);
	sc_vector_push(out, use);
}

/* The least sure of its uses says how a launch is known. */
static void count_launch(struct sc_kernels *kernels, const struct sc_op *op, const sc_uses *uses)
{
	const struct sc_code_kernel *k = sc_code_kernel(&kernels->code, op->object);
	enum sc_known known = uses->count || (k && k->code) ? SC_KNOWN_EXACT : SC_KNOWN_PARAMETER;
	uint8_t reason = 0;

	for (size_t i = 0; i < uses->count; i++) {
		const struct sc_use *use = &uses->items[i];

		if (use->shape.how == SC_HOW_PARAMETER)
			known = SC_KNOWN_PARAMETER;
		else if (use->shape.known != SC_KNOWN_EXACT && known == SC_KNOWN_EXACT)
			known = SC_KNOWN_OVER;
		reason = reason ? reason : use->reason;
	}
	sc_kernel_tallies_add(&kernels->tallies, op->object, known, reason);
}

void sc_access_collect(struct sc_memory_map *m, struct sc_kernels *kernels,
		       const struct sc_record *record, const struct sc_step *step, sc_uses *out)
{
	const struct sc_op *op = step->op;

	sc_vector_clear(out);
	if (op->kind == SC_OP_HOST_READ || op->kind == SC_OP_HOST_WRITE) {
		add_host(m, op, out);
		return;
	}
	if (op->kind == SC_OP_PREFETCH || !step->is_enqueued)
		return;
	if (add_attached(m, record, step, out)) {
		if (op->kind == SC_OP_KERNEL)
			count_launch(kernels, op, out);
		return;
	}
	if (op->kind == SC_OP_COPY) {
		add_linear(m, step, op->src, SC_READ, out);
		add_linear(m, step, op->dst, SC_WRITE, out);
	} else if (op->kind == SC_OP_VALUE_WAIT) {
		add_linear(m, step, op->src, SC_READ, out);
	} else if (op->kind == SC_OP_SET || op->kind == SC_OP_VALUE_WRITE ||
		   op->kind == SC_OP_DISCARD) {
		add_linear(m, step, op->dst, SC_WRITE, out);
	} else if (op->kind == SC_OP_ARRAY_MAP) {
		add_tiles(m, op, out);
	} else if (op->kind == SC_OP_KERNEL) {
		sc_launch_add(m, kernels, record, out);
		count_launch(kernels, op, out);
	}
}
