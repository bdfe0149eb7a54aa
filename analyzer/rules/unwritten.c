/* Rule 409: kernels that read device memory which nothing has written since it was allocated
 * (M-12).
 *
 * Looked for on the simulated device. Remembered are the bytes of each allocation that nothing has
 * written yet. What a kernel may have written unseen counts as written, and so does what it writes
 * itself, unless its execution says that it read the bytes first; of a graph, what any node writes.
 * A copy between two allocations writes what has a value in its source, and nothing else.
 * What is read is held to the end: an operation that comes later in the trace, and is not ordered
 * after the read, may have written it all the same; that is a race, which race.c tells.
 */
#include <stdbool.h>
#include <string.h>
#include "analyzer/access/replay.h"
#include "analyzer/rules/family.h"
#include "analyzer/rules/graph_node.h"
#include "analyzer/rules/race/race.h"

#define PARTS_MOST  1024      /* of an allocation; of one with more, all counts as written */
#define COPIES_MOST 1024      /* of unwritten bytes; what more of them bring counts as written */
#define ROWS_MOST   (1 << 12) /* of a use; one with more is not looked at */

struct part {
	uint64_t first, end;
};

typedef SC_VECTOR(struct part) parts;

/* What an allocation has of unwritten bytes. */
struct fresh {
	uint64_t begun; /* its `sequence` */
	parts parts;
	struct part copied; /* by the last copy that brought unwritten bytes; */
	uint64_t copy;	    /* its sequence number + 1, or 0 */
};

/* A copy of unwritten bytes. */
struct passed {
	struct sc_note *note; /* counted */
	uint64_t begun;	      /* of its source */
	struct part bytes;
};

/* A read of such bytes. */
struct held {
	struct sc_finding finding;
	struct sc_note *note; /* counted */
	struct sc_op op;      /* the kernel, or the node */
	struct part bytes;
	uint64_t begun;
	bool is_copied; /* a copy has brought them */
};

struct unwritten {
	SC_VECTOR(struct fresh) fresh;
	SC_VECTOR(struct passed) passed;
	struct sc_u64_map by_allocation; /* `begun` → place in `fresh` + 1 */
	SC_VECTOR(struct held) held;
	bool is_off; /* no allocation is looked at any more */
};

static struct fresh *find(const struct unwritten *u, const struct sc_allocation *m)
{
	const uint64_t *place =
		m->sequence ? sc_u64_map_find(&u->by_allocation, m->sequence) : NULL;

	return place ? &u->fresh.items[*place - 1] : NULL;
}

static void forget(struct unwritten *u, struct fresh *f)
{
	struct fresh *last = &u->fresh.items[u->fresh.count - 1];

	sc_u64_map_remove(&u->by_allocation, f->begun);
	sc_vector_fini(&f->parts);
	if (f != last) {
		*f = *last;
		*sc_u64_map_get(&u->by_allocation, f->begun) = (uint64_t)(f - u->fresh.items) + 1;
	}
	u->fresh.count--;
}

static void forget_all(struct unwritten *u)
{
	while (u->fresh.count)
		forget(u, &u->fresh.items[u->fresh.count - 1]);
}

static void begin(struct unwritten *u, const struct sc_op *op, uint64_t sequence)
{
	struct fresh f = {.begun = sequence + 1};

	sc_vector_push(&f.parts, ((struct part){op->dst, op->dst + op->bytes}));
	sc_vector_push(&u->fresh, f);
	*sc_u64_map_get(&u->by_allocation, f.begun) = u->fresh.count;
}

/* ---- writes ---- */

static void cut(parts *all, const struct part *what)
{
	for (size_t i = all->count; i-- > 0;) {
		struct part *p = &all->items[i];
		struct part rest = {what->end, p->end};

		if (p->first >= what->end || what->first >= p->end)
			continue;
		if (p->first < what->first && what->end < p->end) {
			p->end = what->first;
			sc_vector_push(all, rest);
		} else if (p->first < what->first) {
			p->end = what->first;
		} else if (what->end < p->end) {
			p->first = what->end;
		} else {
			*p = all->items[--all->count];
		}
	}
}

static bool overlap(const struct part *x, const struct part *y)
{
	return x->first < y->end && y->first < x->end;
}

static bool is_after(const struct sc_note *n, const struct sc_step *step)
{
	return n->sequence == step->sequence || sc_interval_before(&n->when, &step->when);
}

static void drop(struct unwritten *u, struct sc_analysis *a, size_t held)
{
	sc_note_put(&a->memory.notes, u->held.items[held].note);
	u->held.items[held] = u->held.items[--u->held.count];
}

static void drop_passed(struct unwritten *u, struct sc_analysis *a)
{
	for (size_t i = 0; i < u->passed.count; i++)
		sc_note_put(&a->memory.notes, u->passed.items[i].note);
	sc_vector_clear(&u->passed);
}

/* What copies have brought counts as written. */
static void drop_copied(struct unwritten *u, struct sc_analysis *a)
{
	for (size_t i = u->held.count; i-- > 0;)
		if (u->held.items[i].is_copied)
			drop(u, a, i);
	for (size_t i = u->fresh.count; i-- > 0;)
		if (u->fresh.items[i].copy)
			forget(u, &u->fresh.items[i]);
	drop_passed(u, a);
}

/* What is written now, unordered, may be what was read, or copied. */
static void drop_held(struct unwritten *u, struct sc_analysis *a, uint64_t begun,
		      const struct part *what, const struct sc_step *step)
{
	for (size_t i = u->held.count; i-- > 0;) {
		struct held *h = &u->held.items[i];

		if (h->begun == begun && overlap(&h->bytes, what) && !is_after(h->note, step))
			drop(u, a, i);
	}
	for (size_t i = 0; i < u->passed.count; i++) {
		const struct passed *p = &u->passed.items[i];

		if (p->begun == begun && overlap(&p->bytes, what) && !is_after(p->note, step)) {
			drop_copied(u, a);
			return;
		}
	}
}

static void write_part(struct unwritten *u, struct sc_analysis *a, const struct sc_step *step,
		       const struct sc_allocation *m, const struct part *what)
{
	struct fresh *f;

	drop_held(u, a, m->sequence, what, step);
	f = find(u, m);
	if (!f)
		return;
	cut(&f->parts, what);
	if (!f->parts.count || f->parts.count > PARTS_MOST)
		forget(u, f);
}

static void write(struct unwritten *u, struct sc_analysis *a, const struct sc_step *step,
		  const struct sc_use *use)
{
	const struct part what = {use->shape.base, sc_shape_end(&use->shape)};

	write_part(u, a, step, use->allocation, &what);
}

/* ---- reads ---- */

static bool meet(const parts *all, uint64_t first, uint64_t end, struct part *found)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct part *p = &all->items[i];

		if (p->first < end && first < p->end) {
			found->first = p->first > first ? p->first : first;
			found->end = p->end < end ? p->end : end;
			return 1;
		}
	}
	return 0;
}

/* Not so are documented and declared operands, of which a function may use a part. */
static bool is_seen(const struct sc_access *s)
{
	return s->known == SC_KNOWN_EXACT &&
	       (s->how == SC_HOW_OP || s->how == SC_HOW_PTX || s->how == SC_HOW_EXECUTION);
}

/* The first unwritten bytes that a use reads. */
static bool find_read(const struct fresh *f, const struct sc_access *s, struct part *found)
{
	if (s->rows * s->slices > ROWS_MOST)
		return 0;
	for (uint64_t i = 0; i < s->slices; i++)
		for (uint64_t j = 0; j < s->rows; j++) {
			uint64_t first = s->base + i * s->slice_pitch + j * s->pitch;

			if (meet(&f->parts, first, first + s->width, found))
				return 1;
		}
	return 0;
}

/* `node`: of a graph that is launched, or NULL. */
static void read(struct unwritten *u, struct sc_analysis *a, const struct sc_step *step,
		 const struct sc_graph_node *node, const struct sc_use *use)
{
	struct fresh *f = find(u, use->allocation);
	struct held h = {.begun = use->allocation->sequence, .op = node ? node->op : *step->op};

	if (!f || !is_seen(&use->shape) || !find_read(f, &use->shape, &h.bytes))
		return;
	h.finding = sc_finding_of_use(a, SC_RULE_409, step, use);
	if (node) {
		h.finding.side[0].op = node->sequence;
		h.finding.side[0].launch = step->sequence + 1;
	}
	h.finding.side[0].mode = SC_SIDE_READ;
	h.finding.side[0].address = h.bytes.first;
	h.finding.side[0].bytes = h.bytes.end - h.bytes.first;
	h.is_copied = f->copy && overlap(&f->copied, &h.bytes);
	if (h.is_copied)
		sc_finding_add_earlier(&h.finding, f->copy - 1, SC_SIDE_WRITE);
	h.note = sc_race_note(a, step, 0);
	sc_vector_push(&u->held, h);
	forget(u, f); /* once is enough */
}

/* ---- operations ---- */

static bool reads(const struct sc_access *s)
{
	return s->mode == SC_READ || s->mode == SC_ATOMIC;
}

/* It is known what the launch touched. */
static bool is_seen_launch(const struct sc_touched *t)
{
	return t->list && !t->is_partial && t->list->how == SC_HOW_EXECUTION;
}

/* What a kernel was seen to do, of a kind. */
enum kind { WRITES, READS_FIRST, READS, ALL_WRITES };

static bool is_of(const struct sc_access *s, enum kind kind)
{
	bool is_first = s->order == SC_ACCESS_READ_FIRST, is_moved = s->order == SC_ACCESS_MOVED;

	switch (kind) {
	case WRITES: return sc_mode_writes(s->mode) && (!reads(s) || is_moved) && !is_first;
	case READS_FIRST: return is_first;
	case READS: return reads(s) && !is_moved;
	case ALL_WRITES: return sc_mode_writes(s->mode);
	}
	return 0;
}

static void take_seen(struct unwritten *u, struct sc_analysis *a, const struct sc_step *step,
		      const struct sc_graph_node *node, const struct sc_touched *touched,
		      enum kind kind)
{
	for (size_t i = 0; i < touched->count; i++) {
		struct sc_use use = {.shape = touched->list[i]};

		if (!is_of(&use.shape, kind) || !sc_shape_simplify(&use.shape))
			continue;
		use.allocation = sc_memory_find(&a->memory, use.shape.base, &use.shape.base);
		if (!use.allocation)
			continue;
		if (kind == READS_FIRST || kind == READS)
			read(u, a, step, node, &use);
		else
			write(u, a, step, &use);
	}
}

/* Whether all is known that the kernel may have written. */
static bool is_known(const struct sc_analysis *a)
{
	bool is_known = a->kernels.open == SC_REASON_NONE;

	for (size_t i = 0; i < a->uses.count; i++)
		is_known &= a->uses.items[i].shape.known != SC_KNOWN_PARAMETER;
	return is_known;
}

/* By its footprint. */
static void check_uses(struct unwritten *u, struct sc_analysis *a, const struct sc_step *step)
{
	bool is_kernel = step->op->kind == SC_OP_KERNEL;

	for (size_t i = 0; i < a->uses.count; i++)
		if (sc_mode_writes(a->uses.items[i].shape.mode) && !reads(&a->uses.items[i].shape))
			write(u, a, step, &a->uses.items[i]);
	for (size_t i = 0; is_kernel && i < a->uses.count; i++)
		if (reads(&a->uses.items[i].shape))
			read(u, a, step, NULL, &a->uses.items[i]);
	for (size_t i = 0; i < a->uses.count; i++)
		if (a->uses.items[i].shape.mode == SC_ATOMIC)
			write(u, a, step, &a->uses.items[i]);
}

/* ---- copies between two allocations ---- */

/* Both of them have unwritten bytes, and as many are written as are read, one after the other. */
static bool is_passing(const struct unwritten *u, const struct sc_step *step,
		       const struct sc_use *from, const struct sc_use *to)
{
	const struct sc_access *x = &from->shape, *y = &to->shape;

	return step->op->kind == SC_OP_COPY && u->passed.count < COPIES_MOST &&
	       x->mode == SC_READ && y->mode == SC_WRITE && x->known == SC_KNOWN_EXACT &&
	       y->known == SC_KNOWN_EXACT && x->rows * x->slices == 1 && y->rows * y->slices == 1 &&
	       x->width == y->width && from->allocation != to->allocation &&
	       find(u, from->allocation) && find(u, to->allocation);
}

/* Writes what has a value in the source. */
static void pass(struct unwritten *u, struct sc_analysis *a, const struct sc_step *step,
		 const struct sc_use *from, const struct sc_use *to)
{
	const struct part whole = {from->shape.base, sc_shape_end(&from->shape)};
	const struct part target = {to->shape.base, sc_shape_end(&to->shape)};
	const parts *unwritten = &find(u, from->allocation)->parts;
	struct fresh *f;
	parts valid = {0};
	bool is_whole;

	sc_vector_push(&valid, whole);
	for (size_t i = 0; i < unwritten->count; i++)
		cut(&valid, &unwritten->items[i]);
	is_whole =
		valid.count == 1 && valid.items[0].end - valid.items[0].first == from->shape.width;
	if (!is_whole)
		sc_vector_push(&u->passed, ((struct passed){sc_race_note(a, step, 0),
							    from->allocation->sequence, whole}));
	for (size_t i = 0; i < valid.count; i++) {
		struct part what = valid.items[i];

		what.first += target.first - whole.first;
		what.end += target.first - whole.first;
		write_part(u, a, step, to->allocation, &what);
	}
	sc_vector_fini(&valid);
	f = find(u, to->allocation);
	if (f && !is_whole) {
		f->copied = target;
		f->copy = step->sequence + 1;
	}
}

static void check_copy(struct unwritten *u, struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_use *uses = a->uses.items;

	if (a->uses.count == 2 && is_passing(u, step, &uses[0], &uses[1]))
		pass(u, a, step, &uses[0], &uses[1]);
	else
		check_uses(u, a, step);
}

static void check_kernel(struct unwritten *u, struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_touched touched = sc_access_touched(&a->kernels, step->sequence);

	if (!is_known(a))
		forget_all(u);
	else if (!is_seen_launch(&touched))
		check_uses(u, a, step);
	else
		for (unsigned kind = WRITES; kind <= ALL_WRITES; kind++)
			take_seen(u, a, step, NULL, &touched, (enum kind)kind);
}

/* What a node touched in this launch, empty if that was not seen. */
static struct sc_touched touched_by(const struct sc_analysis *a, const struct sc_graph_node *n)
{
	struct sc_touched t = {0};

	if (n->op.kind == SC_OP_KERNEL && n->executed && !n->is_disabled)
		t = sc_access_touched_node(&a->kernels, n->executed);
	return is_seen_launch(&t) ? t : (struct sc_touched){0};
}

/* Nodes that were not seen, as copies are. */
static void write_unseen(struct unwritten *u, struct sc_analysis *a, const struct sc_step *step,
			 const struct sc_replay *r)
{
	for (uint32_t place = 0; place < r->graph->places; place++) {
		const struct sc_replay_part *p = &r->parts[place];

		if (touched_by(a, sc_graph_at(r->graph, place)).list)
			continue;
		for (uint32_t i = p->first; i < p->first + p->count; i++)
			if (sc_mode_writes(r->uses.items[i].use.shape.mode))
				write(u, a, step, &r->uses.items[i].use);
	}
}

/* What any node wrote without reading it first may have come before what the others read. */
static void check_launch(struct unwritten *u, struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_exec *e = sc_exec_find(&a->order.execs, step->op->object);
	const struct sc_replay *r = step->is_enqueued && e ? e->replay : NULL;

	if (!r || e->graph->is_broken || r->loads) {
		forget_all(u);
		return;
	}
	write_unseen(u, a, step, r);
	for (unsigned kind = WRITES; kind <= ALL_WRITES; kind++)
		for (uint32_t place = 0; place < r->graph->places; place++) {
			const struct sc_graph_node *n = sc_graph_at(r->graph, place);
			const struct sc_touched touched = touched_by(a, n);

			take_seen(u, a, step, n, &touched, (enum kind)kind);
		}
}

static void end(struct unwritten *u, struct sc_analysis *a, uint64_t address)
{
	uint64_t canonical;
	const struct sc_allocation *m = sc_memory_find(&a->memory, address, &canonical);
	struct fresh *f = m ? find(u, m) : NULL;

	if (f)
		forget(u, f);
}

/* Variables of modules, buffers of other APIs and of other processes begin by other calls, and have
 * a value. */
static bool is_new(const struct sc_analysis *a, const struct sc_op *op)
{
	const char *call = sc_reader_string(a->reader, op->call);

	return op->result == 0 && op->dst_mem == SC_MEM_DEVICE &&
	       (!*call || !strncmp(call, "cuMemAlloc", 10));
}

static bool is_on(const struct sc_analysis *a)
{
	return a->kernels.executed.is_read;
}

static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	const struct unwritten *u = state;

	return is_on(a) && (u->fresh.count || u->held.count);
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct unwritten *u = state;

	if (!is_on(a) || u->is_off)
		return;
	switch (r->op.kind) {
	case SC_OP_ALLOC:
	case SC_OP_ALLOC_ASYNC:
		if (is_new(a, &r->op))
			begin(u, &r->op, r->sequence);
		break;
	case SC_OP_FREE:
	case SC_OP_FREE_ASYNC: end(u, a, r->op.dst); break;
	case SC_OP_GRAPH_LAUNCH: check_launch(u, a, step); break;
	case SC_OP_KERNEL: check_kernel(u, a, step); break;
	case SC_OP_COPY: check_copy(u, a, step); break;
	case SC_OP_SHARE:
	case SC_OP_AGENT:
	case SC_OP_GROUP:
	case SC_OP_MESSAGE:
		u->is_off = 1; /* other processes write memory of this one, unseen */
		forget_all(u);
		break;
	default: check_uses(u, a, step);
	}
}

static void finish(void *state, struct sc_analysis *a)
{
	struct unwritten *u = state;

	for (size_t i = 0; i < u->held.count; i++) {
		struct held *h = &u->held.items[i];

		h->finding.doubt = SC_DOUBT_SIMULATED;
		h->finding.confidence = a->coverage.skipped ? SC_POSSIBLE : SC_LIKELY;
		if (a->coverage
			    .executed) /* not a GPU that records bytes: the doubt would be untrue */
			sc_finding_file(a, &h->finding, NULL, &h->op);
		sc_note_put(&a->memory.notes, h->note);
	}
	sc_vector_fini(&u->held);
	drop_passed(u, a);
	sc_vector_fini(&u->passed);
	forget_all(u);
	sc_vector_fini(&u->fresh);
	sc_u64_map_fini(&u->by_allocation);
}

const struct sc_rule_family sc_rules_unwritten = {
	.state_bytes = sizeof(struct unwritten),
	.sees_routine = sees_routine,
	.step = check_record,
	.finish = finish,
};
