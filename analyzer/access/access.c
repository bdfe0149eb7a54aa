/* Accesses: from op fields, attached footprints and kernel parameters to uses of allocations. */
#include "analyzer/access/access.h"

#include <stdbool.h>
#include "analyzer/access/launch.h"
#include "base/assert.h"

/* Finds whose bytes they are; false if it makes no sense at the address where they are known. */
static bool find_memory(struct sc_memory_map *m, struct sc_use *use)
{
	uint64_t canonical = use->shape.base;

	use->allocation = sc_memory_find(m, use->shape.base, &canonical);
	if (!use->allocation) {
		use->allocation = &m->implicit;
		if (use->shape.memory != SC_MEM_PAGEABLE && use->shape.known == SC_KNOWN_EXACT)
			use->shape.known = SC_KNOWN_OVER; /* its owner at that time is not known */
	} else if (canonical != use->shape.base) {
		use->shape.base = canonical;
		return sc_shape_simplify(&use->shape); /* it may be higher */
	}
	return 1;
}

/* Adds an access as the op records it; its shape, and settle, come next. */
static inline struct sc_use *add(bool is_host, sc_uses *out)
{
	struct sc_use *use = sc_vector_add(out);

	use->is_host = is_host;
	use->is_strong = 0;
	use->is_quiet = 0;
	use->is_swap = 0;
	use->reason = 0;
	use->early = 0;
	use->is_unpatched = 0;
	return use;
}

/* Takes up the last access at the address that the op gave; drops it if it makes no sense there. */
static inline void settle(struct sc_memory_map *m, const struct sc_step *step, struct sc_use *use,
			  sc_uses *out)
{
	use->is_host |= step->transfer.host_reads && use->shape.mode == SC_READ;
	if (!sc_shape_simplify(&use->shape)) {
		out->count--;
		return;
	}
	use->span = sc_span_recall(&m->notes, use->shape.base, sc_shape_end(&use->shape));
	use->allocation = sc_memory_of_span(use->span);
	if (!use->allocation && !find_memory(m, use))
		out->count--;
}

/* A batch of copies whose order is not recorded may read its sources during the call. A source that
 * is to be read in the order of the stream, or at any time, has to be there until then, and results
 * are written in the order of the stream (4.6). */
static bool is_vague(const struct sc_op *op, const struct sc_access *access)
{
	return sc_op_is_batch(op) && access->known == SC_KNOWN_EXACT && access->mode == SC_READ &&
	       access->order == SC_SOURCE_UNKNOWN;
}

static void add_attached(struct sc_memory_map *m, const struct sc_step *step,
			 const struct sc_access *access, sc_uses *out)
{
	struct sc_use *use;

	if (access->mode < SC_READ || access->mode >= SC_MODES)
		return;
	if (access->known == SC_KNOWN_PARAMETER) {
		sc_launch_add_whole(m, access->base, SC_READ_WRITE, out);
		return;
	}
	use = add(0, out);
	use->shape = *access;
	if (!sc_op_is_batch(step->op) || use->shape.mode != SC_READ)
		use->shape.order = SC_SOURCE_UNKNOWN;
	if (is_vague(step->op, &use->shape))
		use->shape.known = SC_KNOWN_OVER;
	settle(m, step, use, out);
}

/* The accesses attached to the op's record; false if it has none. */
static bool add_all_attached(struct sc_memory_map *m, const struct sc_record *record,
			     const struct sc_step *step, sc_uses *out)
{
	for (uint32_t i = 0; i < record->access_count; i++)
		add_attached(m, step, &record->accesses[i], out);
	return record->accesses != NULL;
}

static void add_linear(struct sc_memory_map *m, const struct sc_step *step, uint64_t base,
		       uint8_t mode, sc_uses *out)
{
	const struct sc_op *op = step->op;
	struct sc_use *use;

	if (!base)
		return;
	use = add(0, out);
	sc_shape_set_linear(&use->shape, base, op->bytes, mode, SC_KNOWN_EXACT);
	use->shape.memory = mode == SC_READ ? op->src_mem : op->dst_mem;
	settle(m, step, use, out);
}

static void add_host(struct sc_memory_map *m, const struct sc_step *step, sc_uses *out)
{
	const struct sc_op *op = step->op;
	bool is_read = op->kind == SC_OP_HOST_READ;
	struct sc_use *use = add(1, out);

	use->shape = sc_shape_linear(is_read ? op->src : op->dst, op->bytes ? op->bytes : 1,
				     is_read ? SC_READ : SC_WRITE, SC_KNOWN_EXACT);
	use->shape.memory = is_read ? op->src_mem : op->dst_mem;
	if (!use->shape.memory)
		use->shape.memory = SC_MEM_PAGEABLE;
	settle(m, step, use, out);
}

/* The tiles of the array are not distinguished (P-12). */
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

void sc_access_count(struct sc_kernels *kernels, const struct sc_op *op, const sc_uses *uses)
{
	unsigned known = SC_KNOWN_EXACT;
	uint8_t reason = kernels->open;

	sc_assert(op->kind == SC_OP_KERNEL);
	if (!uses->count && !kernels->has_footprint && !kernels->is_spoken_for)
		known = SC_KNOWN_PARAMETER;
	for (size_t i = 0; i < uses->count; i++) {
		const struct sc_use *use = &uses->items[i];

		if (SC_HOW_IS_PARAMETERS(use->shape.how))
			known = SC_KNOWN_PARAMETER;
		else if (use->shape.known != SC_KNOWN_EXACT && known == SC_KNOWN_EXACT)
			known = SC_KNOWN_OVER;
		reason = reason ? reason : use->reason;
	}
	if (kernels->open)
		known = SC_TALLY_OPEN;
	sc_kernel_tallies_add(&kernels->tallies, op->object, known, reason);
}

/* The accesses that the op's fields describe; a kernel without attached accesses has none. */
static void add_operands(struct sc_memory_map *m, const struct sc_step *step, sc_uses *out)
{
	const struct sc_op *op = step->op;

	switch (op->kind) {
	case SC_OP_HOST_READ:
	case SC_OP_HOST_WRITE: add_host(m, step, out); break;
	case SC_OP_COPY:
	case SC_OP_AGENT:
		add_linear(m, step, op->src, SC_READ, out);
		add_linear(m, step, op->dst, SC_WRITE, out);
		break;
	case SC_OP_VALUE_WAIT: add_linear(m, step, op->src, SC_READ, out); break;
	case SC_OP_SET:
	case SC_OP_VALUE_WRITE:
	case SC_OP_DISCARD: add_linear(m, step, op->dst, SC_WRITE, out); break;
	default: break;
	}
}

/* Bits of enum sc_bytes_source. */
static unsigned source_of(const struct sc_kernels *kernels, const struct sc_step *step)
{
	const struct sc_executed *e = &kernels->executed;

	return step->executed ? sc_executed_node(e, step->executed)->source
			      : sc_executed_source(e, step->sequence);
}

/* The launch's bytes are known without having been executed; but perhaps not so well when each is
 * touched. */
static bool is_known(const struct sc_kernels *kernels, const sc_uses *uses, bool is_apart)
{
	for (size_t i = 0; i < uses->count; i++) {
		const struct sc_access *shape = &uses->items[i].shape;

		if (shape->how == SC_HOW_PROGRAM || shape->how == SC_HOW_FILE)
			return 1;
		if (shape->known != SC_KNOWN_EXACT ||
		    (is_apart && uses->items[i].early == SC_EARLY_MAYBE))
			return 0;
	}
	return !kernels->open && (uses->count || kernels->has_footprint);
}

/* The launch may have touched more than what is known of it. */
static bool is_partial(const struct sc_kernels *kernels, const struct sc_step *step,
		       const struct sc_access *list)
{
	if (list->how == SC_HOW_RECORDED && kernels->hides)
		return 1;
	return !step->executed && sc_executed_is_partial(&kernels->executed, step->sequence);
}

/* Why an access is known by an upper bound. */
static uint8_t bound_reason(const struct sc_access *shape)
{
	if (shape->how == SC_HOW_DOCUMENTED)
		return SC_REASON_OPERANDS;
	return shape->how == SC_HOW_RECORDED ? SC_REASON_RECORDED : SC_REASON_SCATTERED;
}

static uint8_t early_of(uint8_t order)
{
	if (order == SC_ACCESS_EARLY)
		return SC_EARLY_SURELY;
	return order == SC_ACCESS_MAYBE_EARLY ? SC_EARLY_MAYBE : SC_EARLY_NO;
}

static void add_shape(struct sc_memory_map *m, const struct sc_step *step,
		      const struct sc_access *shape, uint64_t rows, uint64_t width, sc_uses *out)
{
	struct sc_use *use = add(0, out);

	use->shape = *shape;
	use->shape.rows = rows;
	use->shape.width = width;
	if (rows == 1)
		use->shape.pitch = 0;
	use->early = early_of(shape->order);
	use->shape.order = SC_SOURCE_UNKNOWN;
	if (shape->known != SC_KNOWN_EXACT)
		use->reason = bound_reason(shape);
	settle(m, step, use, out);
}

/* The rows of the access that begin in the first one's allocation, whose end is `limit`; at least
 * one row, or a part of it. */
static uint64_t rows_within(const struct sc_access *shape, uint64_t limit, uint64_t *width)
{
	uint64_t room = limit - shape->base;

	*width = shape->width <= room ? shape->width : room;
	if (shape->rows == 1 || *width < shape->width)
		return 1;
	room = (room - shape->width) / shape->pitch + 1;
	return room < shape->rows ? room : shape->rows;
}

/* What is side by side, or at equal distances, may lie in several allocations. Each turn leaves one
 * of them. */
static void add_across(struct sc_memory_map *m, const struct sc_step *step, struct sc_access shape,
		       sc_uses *out)
{
	if (!sc_shape_simplify(&shape))
		return;
	while (shape.slices == 1) {
		uint64_t at = shape.base, rows, width;
		const struct sc_allocation *a = sc_memory_find(m, shape.base, &at);

		if (!a || at != shape.base || a->home.range.end <= at ||
		    a->home.range.end >= sc_shape_end(&shape))
			break;
		rows = rows_within(&shape, a->home.range.end, &width);
		add_shape(m, step, &shape, rows, width, out);
		if (shape.rows == 1) {
			shape.base += width;
			shape.width -= width;
			continue;
		}
		if (width < shape.width) {
			struct sc_access rest = shape;

			rest.base += width;
			add_shape(m, step, &rest, 1, shape.width - width, out);
		}
		shape.base += rows * shape.pitch;
		shape.rows -= rows;
		if (!shape.rows)
			return;
	}
	add_shape(m, step, &shape, shape.rows, shape.width, out);
}

/* What a launch is known by otherwise does not count any more, but for what a recording on a GPU
 * does not see. */
static void forget(const struct sc_access *list, sc_uses *out)
{
	size_t kept = 0;

	for (size_t i = 0; list->how == SC_HOW_RECORDED && i < out->count; i++)
		if (out->items[i].is_unpatched)
			out->items[kept++] = out->items[i];
	out->count = kept;
}

/* True for a recording of a kernel that may read variables in constant memory, and whose code does
 * not say which. */
static bool reads_constants(const struct sc_kernels *kernels, const struct sc_step *step)
{
	return source_of(kernels, step) & SC_BYTES_CONSTANTS && !kernels->has_footprint;
}

/* A kernel that begins early may touch memory before it waits: which bytes, its code says, or who
 * executed it. */
static bool may_touch_early(struct sc_kernels *kernels, const struct sc_step *step)
{
	const struct sc_op *op = step->op;
	unsigned grid = op->flags & SC_FLAG_PROGRAMMATIC ? sc_code_grid(&kernels->code, op->object)
							 : SC_GRID_KNOWN;

	if (source_of(kernels, step) & SC_BYTES_APART)
		return 0;
	return !(grid & SC_GRID_KNOWN) || grid & SC_GRID_EARLY;
}

/* What the launch touched when it was executed or recorded, or what is documented of it, instead of
 * what is not known so well; or besides that, if the launch may have touched more. What a kernel
 * was seen to do is no better than its code where that says what comes before a wait; what is
 * documented of a kernel without code is. */
static void add_executed(struct sc_memory_map *m, struct sc_kernels *kernels,
			 const struct sc_record *record, const struct sc_step *step, sc_uses *out)
{
	size_t count = 0;
	const struct sc_executed *e = &kernels->executed;
	const struct sc_access *list = step->executed ? sc_executed_at(e, step->executed, &count)
						      : sc_executed_find(e, step->sequence, &count);
	bool is_documented;

	if (!list)
		list = sc_executed_captured(e, record, &count);
	is_documented = list && list->how == SC_HOW_DOCUMENTED;
	if (!list || is_known(kernels, out, source_of(kernels, step) & SC_BYTES_APART) ||
	    (!is_documented && may_touch_early(kernels, step)))
		return;
	kernels->is_spoken_for = is_documented && !count;
	if (!is_partial(kernels, step, list)) {
		forget(list, out);
		kernels->open = SC_REASON_NONE;
	}
	if (reads_constants(kernels, step))
		sc_launch_add_variables(m, kernels, record, out);
	for (size_t i = 0; i < count; i++)
		add_across(m, step, list[i], out);
}

struct sc_touched sc_access_touched(const struct sc_kernels *kernels, uint64_t launch)
{
	struct sc_touched t = {.is_partial = sc_executed_is_partial(&kernels->executed, launch)};

	t.list = sc_executed_find(&kernels->executed, launch, &t.count);
	return t;
}

struct sc_touched sc_access_touched_node(const struct sc_kernels *kernels, size_t executed)
{
	struct sc_touched t = {0};

	t.list = sc_executed_at(&kernels->executed, executed, &t.count);
	return t;
}

/* The same by what was seen. Scratch memory of a library is not documented. */
static enum sc_use_of_dead touched_dead(const struct sc_kernels *kernels,
					const struct sc_touched *t, const struct sc_gone *gone,
					struct sc_access *use)
{
	const struct sc_access dead = sc_shape_linear(
		gone->was.start, gone->was.end - gone->was.start, SC_WRITE, SC_KNOWN_EXACT);
	bool is_open = t->is_partial || t->list->how == SC_HOW_DOCUMENTED ||
		       (t->list->how == SC_HOW_RECORDED && kernels->hides);
	bool is_sure = 0;

	for (size_t i = 0; i < t->count; i++) {
		struct sc_access access = t->list[i];
		bool is_exact = access.known == SC_KNOWN_EXACT;
		enum sc_overlap overlap;
		uint64_t first, end;

		if (!sc_shape_simplify(&access))
			continue; /* as in the trace: it may make no sense */
		overlap = sc_shape_overlap(&access, &dead, &first, &end);
		is_open |= overlap == SC_PERHAPS || (overlap == SC_OVERLAPS && !is_exact);
		if (overlap != SC_OVERLAPS || !is_exact)
			continue;
		*use = sc_shape_linear(first, end - first, access.mode, SC_KNOWN_EXACT);
		use->how = access.how;
		is_sure = 1;
		if (!sc_gone_is_replaced(gone, use))
			break;
	}
	if (is_sure)
		return SC_USE_SURE;
	return is_open ? SC_USE_MAYBE : SC_USE_NONE;
}

enum sc_use_of_dead sc_access_uses_dead(struct sc_kernels *kernels, const struct sc_record *record,
					const struct sc_touched *touched, uint32_t offset,
					const struct sc_gone *gone, struct sc_access *use)
{
	enum sc_use_of_dead kind = sc_launch_uses_dead(kernels, record, offset, gone, use);

	sc_assert(gone->was.start < gone->was.end);
	return kind == SC_USE_MAYBE && touched->list ? touched_dead(kernels, touched, gone, use)
						     : kind;
}

void sc_access_collect(struct sc_memory_map *m, struct sc_kernels *kernels,
		       const struct sc_record *record, const struct sc_step *step, sc_uses *out)
{
	const struct sc_op *op = step->op;
	bool is_host = op->kind == SC_OP_HOST_READ || op->kind == SC_OP_HOST_WRITE;
	bool is_attached = 0;

	sc_assert(record->op.kind == step->op->kind);
	sc_vector_clear(out);
	kernels->open = SC_REASON_NONE;
	kernels->is_spoken_for = kernels->has_footprint = kernels->has_handles = 0;
	if (op->kind == SC_OP_KERNEL && kernels->is_outside)
		return;
	if (!is_host && (op->kind == SC_OP_PREFETCH || !(step->is_enqueued || step->is_agent)))
		return;
	if (!is_host)
		is_attached = add_all_attached(m, record, step, out);
	if (!is_attached)
		add_operands(m, step, out);
	if (!is_attached && op->kind == SC_OP_ARRAY_MAP)
		add_tiles(m, op, out);
	if (!is_attached && op->kind == SC_OP_KERNEL) {
		sc_launch_add(m, kernels, record, out);
		add_executed(m, kernels, record, step, out);
	}
	if (op->kind == SC_OP_KERNEL)
		sc_access_count(kernels, op, out);
}

void sc_access_prefetch(struct sc_memory_map *m, const struct sc_record *record)
{
	const struct sc_op *op = &record->op;

	if (op->kind == SC_OP_COPY)
		sc_memory_prefetch(m, op->src, op->src + op->bytes);
	if (op->kind == SC_OP_COPY || op->kind == SC_OP_SET)
		sc_memory_prefetch(m, op->dst, op->dst + op->bytes);
	for (uint32_t i = 0; i < record->access_count && i < SC_ACCESS_AHEAD; i++) {
		const struct sc_access *access = &record->accesses[i];

		sc_memory_prefetch(m, access->base, access->base + access->width);
	}
}
