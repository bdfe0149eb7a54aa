/* Rule 409: kernels that read device memory which nothing has written since it was allocated
 * (M-12).
 *
 * Looked for on the simulated device. Remembered are the bytes of each allocation that nothing has
 * written yet. What a kernel may have written unseen counts as
 * written, and so does what it writes itself, before or after its read. What is read is held to the
 * end: an operation that comes later in the trace, and is not ordered after the read, may have
 * written it all the same; that is a race, which race.c tells.
 */
#include <stdbool.h>
#include <string.h>
#include "analyzer/access/replay.h"
#include "analyzer/rules/family.h"
#include "analyzer/rules/race.h"

#define PARTS_MOST 1024	     /* of an allocation; of one with more, all counts as written */
#define ROWS_MOST  (1 << 12) /* of a use; one with more is not looked at */

struct part {
	uint64_t first, end;
};

typedef SC_VECTOR(struct part) parts;

/* What an allocation has of unwritten bytes. */
struct fresh {
	uint64_t begun; /* its `sequence` */
	parts parts;
};

/* A read of such bytes. */
struct held {
	struct sc_finding finding;
	struct sc_note *note; /* counted */
	struct part bytes;
	uint64_t begun;
};

struct unwritten {
	SC_VECTOR(struct fresh) fresh;
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

/* What is written now, unordered, may be what was read. */
static void drop_held(struct unwritten *u, struct sc_analysis *a, uint64_t begun,
		      const struct part *what, const struct sc_step *step)
{
	for (size_t i = u->held.count; i-- > 0;) {
		struct held *h = &u->held.items[i];

		if (h->begun != begun || h->bytes.first >= what->end ||
		    what->first >= h->bytes.end || h->note->sequence == step->sequence ||
		    sc_interval_before(&h->note->when, &step->when))
			continue;
		sc_note_put(&a->memory.notes, h->note);
		*h = u->held.items[--u->held.count];
	}
}

static void write(struct unwritten *u, struct sc_analysis *a, const struct sc_step *step,
		  const struct sc_use *use)
{
	struct part what = {use->shape.base, sc_shape_end(&use->shape)};
	struct fresh *f = find(u, use->allocation);

	drop_held(u, a, use->allocation->sequence, &what, step);
	if (!f)
		return;
	cut(&f->parts, &what);
	if (!f->parts.count || f->parts.count > PARTS_MOST)
		forget(u, f);
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

static void read(struct unwritten *u, struct sc_analysis *a, const struct sc_step *step,
		 const struct sc_use *use)
{
	struct fresh *f = find(u, use->allocation);
	struct held h = {.begun = use->allocation->sequence};

	if (!f || !is_seen(&use->shape) || !find_read(f, &use->shape, &h.bytes))
		return;
	h.finding = sc_finding_of_use(a, SC_RULE_409, step, use);
	h.finding.side[0].mode = SC_SIDE_READ;
	h.finding.side[0].address = h.bytes.first;
	h.finding.side[0].bytes = h.bytes.end - h.bytes.first;
	h.note = sc_race_note(a, step, 0);
	sc_vector_push(&u->held, h);
	forget(u, f); /* once is enough */
}

/* ---- operations ---- */

static bool reads(const struct sc_use *use)
{
	return use->shape.mode == SC_READ || use->shape.mode == SC_ATOMIC;
}

/* Whether all is known that the kernel may have written. */
static bool is_known(const struct sc_analysis *a)
{
	bool is_known = a->kernels.open == SC_REASON_NONE;

	for (size_t i = 0; i < a->uses.count; i++)
		is_known &= a->uses.items[i].shape.known != SC_KNOWN_PARAMETER;
	return is_known;
}

static void check_uses(struct unwritten *u, struct sc_analysis *a, const struct sc_step *step)
{
	bool is_kernel = step->op->kind == SC_OP_KERNEL;

	if (is_kernel && !is_known(a)) {
		forget_all(u);
		return;
	}
	for (size_t i = 0; i < a->uses.count; i++)
		if (sc_mode_writes(a->uses.items[i].shape.mode) && !reads(&a->uses.items[i]))
			write(u, a, step, &a->uses.items[i]);
	for (size_t i = 0; is_kernel && i < a->uses.count; i++)
		if (reads(&a->uses.items[i]))
			read(u, a, step, &a->uses.items[i]);
	for (size_t i = 0; i < a->uses.count; i++)
		if (a->uses.items[i].shape.mode == SC_ATOMIC)
			write(u, a, step, &a->uses.items[i]);
}

/* What nodes read is not looked at. */
static void check_launch(struct unwritten *u, struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_exec *e = sc_exec_find(&a->order.execs, step->op->object);
	const struct sc_replay *r = step->is_enqueued && e ? e->replay : NULL;

	if (!r || e->graph->is_broken || r->loads) {
		forget_all(u);
		return;
	}
	for (uint32_t place = 0; place < r->graph->places; place++) {
		const struct sc_replay_part *p = &r->parts[place];

		for (uint32_t i = p->first; i < p->first + p->count; i++)
			if (sc_mode_writes(r->uses.items[i].use.shape.mode))
				write(u, a, step, &r->uses.items[i].use);
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
			sc_finding_file(a, &h->finding, NULL, &h->note->op);
		sc_note_put(&a->memory.notes, h->note);
	}
	sc_vector_fini(&u->held);
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
