/* Open pairs: the uses of each operation, compared with those of all earlier ones. */
#include "extensions/questions/open_pairs.h"

#include <stdlib.h>
#include "analyzer/access/replay.h"
#include "analyzer/graph/exec.h"
#include "analyzer/model/model.h"
#include "base/heap.h"
#include "cmds/check/loaded.h"

#define PHYSICAL (UINT64_C(1) << 63)
#define USES_MAX 4000000
#define ROWS_MAX 1000000 /* pairs of rows of two uses */

/* What an operation does to some bytes. */
struct use {
	uint32_t op;
	uint64_t memory; /* that it is in: + 1 of the op that began it, or mapped memory's own id */
	uint64_t shift;	 /* of mapped memory: from its offset there to the address */
	struct sc_access shape;
};

/* When an operation is, and in which launch of which graph. */
struct moment {
	struct sc_interval when; /* without its start */
	uint32_t item;		 /* of the graph */
};

struct search {
	struct sc_open_pairs *out;
	SC_VECTOR(struct moment) moments; /* of each operation */
	SC_VECTOR(struct use) uses;
	SC_VECTOR(uint32_t)
	blocks;	      /* operations of the host that may have more accesses: one of
			 each thread, until the next CUDA call */
	bool *before; /* owned: the earlier is before the later, by rows of the later */
};

/* Words that are made to be used at the same time, and the launch, whose nodes count. */
static bool is_passed(const struct sc_op *op)
{
	return op->kind == SC_OP_VALUE_WAIT || op->kind == SC_OP_VALUE_WRITE ||
	       op->kind == SC_OP_GRAPH_LAUNCH || op->phase == SC_PHASE_END ||
	       (op->kind == SC_OP_HOST_READ && op->flags & SC_FLAG_POLLED);
}

static bool is_access(const struct sc_op *op)
{
	return op->kind == SC_OP_HOST_READ || op->kind == SC_OP_HOST_WRITE;
}

/* Is an earlier operation before one that is now? */
static bool is_before(const struct search *s, uint32_t earlier, const struct sc_open_op *now,
		      const struct moment *when, const struct sc_graph *g)
{
	const struct sc_open_op *op = &s->out->ops.items[earlier];
	const struct moment *then = &s->moments.items[earlier];

	if (g && op->launch == now->launch)
		return sc_graph_reaches(g, then->item, when->item);
	return sc_interval_before(&then->when, &when->when);
}

/* A node that comes earlier in its graph's list may come after this one. */
static bool is_after(const struct search *s, uint32_t earlier, const struct sc_open_op *now,
		     const struct moment *when, const struct sc_graph *g)
{
	return g && s->out->ops.items[earlier].launch == now->launch &&
	       sc_graph_reaches(g, when->item, s->moments.items[earlier].item);
}

static uint32_t add_op(struct search *s, const struct sc_open_op *op, const struct moment *when,
		       const struct sc_graph *g)
{
	uint32_t number = (uint32_t)s->out->ops.count;

	if (number == SC_OPEN_OPS_MAX) {
		s->out->is_cut = 1;
		return number;
	}
	for (uint32_t i = 0; i < number; i++) {
		s->before[(size_t)number * SC_OPEN_OPS_MAX + i] = is_before(s, i, op, when, g);
		s->before[(size_t)i * SC_OPEN_OPS_MAX + number] = is_after(s, i, op, when, g);
	}
	sc_vector_push(&s->out->ops, *op);
	sc_vector_push(&s->moments, *when);
	s->moments.items[number].when.start = NULL;
	return number;
}

static bool is_ordered(const struct search *s, uint32_t a, uint32_t b)
{
	return s->before[(size_t)a * SC_OPEN_OPS_MAX + b] ||
	       s->before[(size_t)b * SC_OPEN_OPS_MAX + a];
}

static void set_side(const struct search *s, struct sc_side *side, const struct use *u,
		     uint64_t first, uint64_t end)
{
	const struct sc_open_op *op = &s->out->ops.items[u->op];

	*side = (struct sc_side){.op = op->sequence,
				 .launch = op->launch,
				 .address = first + u->shift,
				 .bytes = end - first,
				 .mode = sc_mode_writes(u->shape.mode) ? SC_SIDE_WRITE
								       : SC_SIDE_READ,
				 .known = u->shape.known,
				 .thread = op->thread};
}

/* Where the use happened in the trace. */
static uint64_t position_of(const struct search *s, const struct use *u)
{
	const struct sc_open_op *op = &s->out->ops.items[u->op];

	return op->launch ? op->launch - 1 : op->sequence;
}

static void add_use(struct search *s, uint32_t op, const struct sc_use *use)
{
	const struct sc_allocation *m = use->allocation;
	struct use new = {op, m->sequence, 0, use->shape};

	if (use->is_strong || op >= s->out->ops.count)
		return;
	if (s->uses.count == USES_MAX) {
		s->out->is_cut = 1;
		return;
	}
	if (m->physical) { /* the same bytes may have other addresses (P-12) */
		new.memory = PHYSICAL | m->physical;
		new.shift = m->home.range.start - m->offset;
		new.shape.base -= new.shift;
		sc_shape_move_parameter(&new.shape, -new.shift);
	}
	sc_vector_push(&s->uses, new);
}

static int by_address(const void *left, const void *right)
{
	const struct use *a = left, *b = right;

	if (a->op != b->op)
		return a->op < b->op ? -1 : 1;
	if (a->memory != b->memory)
		return a->memory < b->memory ? -1 : 1;
	return a->shape.base < b->shape.base ? -1 : a->shape.base > b->shape.base;
}

/* The uses of one operation, by address. */
struct uses {
	const struct use *items;
	size_t count;
};

/* Is all of the use below another one's first byte? */
static bool is_below(const struct use *a, const struct use *b)
{
	return a->memory < b->memory ||
	       (a->memory == b->memory && sc_shape_end(&a->shape) <= b->shape.base);
}

/* Adds bytes to the piece that they are next to, or as a new one. */
static void add_piece(const struct search *s, struct sc_open_conflict *c, const struct use *a,
		      const struct use *b, uint64_t first, uint64_t end)
{
	bool is_turned = position_of(s, a) > position_of(s, b);
	struct sc_open_piece new, *last = c->pieces.count ? sc_vector_last(&c->pieces) : NULL;

	set_side(s, &new.side[is_turned], a, first, end);
	set_side(s, &new.side[!is_turned], b, first, end);
	if (last && last->side[0].mode == new.side[0].mode &&
	    last->side[1].mode == new.side[1].mode &&
	    last->side[0].address + last->side[0].bytes == new.side[0].address &&
	    last->side[1].address + last->side[1].bytes == new.side[1].address) {
		last->side[0].bytes += new.side[0].bytes;
		last->side[1].bytes += new.side[1].bytes;
	} else if (c->pieces.count == SC_OPEN_PIECES_MAX) {
		c->is_cut = 1;
	} else {
		c->pair =
			(struct sc_open_pair){is_turned ? b->op : a->op, is_turned ? a->op : b->op};
		sc_vector_push(&c->pieces, new);
	}
}

static uint64_t count_rows(const struct use *u)
{
	return u->shape.known == SC_KNOWN_PARAMETER ? 1 : (uint64_t)u->shape.rows * u->shape.slices;
}

static uint64_t row_of(const struct use *u, uint64_t row)
{
	if (count_rows(u) == 1)
		return u->shape.base;
	return u->shape.base + row / u->shape.rows * u->shape.slice_pitch +
	       row % u->shape.rows * u->shape.pitch;
}

static bool has_piece(const struct sc_open_conflict *c, uint64_t address)
{
	for (size_t i = 0; i < c->pieces.count; i++) {
		const struct sc_side *side = &c->pieces.items[i].side[0];

		if (address >= side->address && address - side->address < side->bytes)
			return 1;
	}
	return 0;
}

/* Of the host's accesses the first one is seen: others may meet anything that the operation uses.
 * The rows that this one meets come first. */
static void add_whole(const struct search *s, struct sc_open_conflict *c, const struct use *a,
		      const struct use *b)
{
	const struct use *device = s->out->ops.items[a->op].is_host ? b : a;
	const struct use *host = device == a ? b : a;
	uint64_t rows = count_rows(device) < ROWS_MAX ? count_rows(device) : ROWS_MAX;

	for (uint64_t i = 0; i < 2 * rows; i++) {
		uint64_t first = row_of(device, i % rows), end = first + device->shape.width;
		bool meets = first < sc_shape_end(&host->shape) && host->shape.base < end;

		if ((meets || i >= rows) && !has_piece(c, first + device->shift))
			add_piece(s, c, a, b, first, end);
		if (c->is_cut && i >= rows)
			return;
	}
}

/* Two uses that overlap: row by row. */
static void add_rows(const struct search *s, struct sc_open_conflict *c, const struct use *a,
		     const struct use *b)
{
	for (uint64_t i = 0; i < count_rows(a) && !c->is_cut; i++)
		for (uint64_t k = 0; k < count_rows(b) && !c->is_cut; k++) {
			uint64_t x = row_of(a, i), y = row_of(b, k), first = x > y ? x : y;
			uint64_t end_of_x = x + a->shape.width, end_of_y = y + b->shape.width;
			uint64_t end = end_of_x < end_of_y ? end_of_x : end_of_y;

			if (first < end)
				add_piece(s, c, a, b, first, end);
			c->is_cut |= i * k > ROWS_MAX;
		}
}

/* Does the call of one itself read its source, so that it is in order with the host's access? */
static bool is_in_call(const struct search *s, const struct use *u, const struct use *other)
{
	return u->shape.order == SC_SOURCE_DURING_CALL && s->out->ops.items[other->op].is_host;
}

/* Where two operations meet; no pieces: nowhere. */
static void meet(const struct search *s, const struct uses *x, const struct uses *y,
		 struct sc_open_conflict *c)
{
	bool has_host = x->count && y->count &&
			(s->out->ops.items[x->items->op].is_host ||
			 s->out->ops.items[y->items->op].is_host);
	void (*add)(const struct search *, struct sc_open_conflict *, const struct use *,
		    const struct use *) = has_host ? add_whole : add_rows;
	uint64_t first, end;
	size_t from = 0;

	for (size_t i = 0; i < x->count && !c->is_cut; i++) {
		const struct use *a = &x->items[i];

		while (from < y->count && is_below(&y->items[from], a))
			from++;
		for (size_t k = from; k < y->count && !is_below(a, &y->items[k]); k++) {
			const struct use *b = &y->items[k];

			if ((sc_mode_writes(a->shape.mode) || sc_mode_writes(b->shape.mode)) &&
			    !is_below(b, a) && !is_in_call(s, a, b) && !is_in_call(s, b, a) &&
			    sc_shape_overlap(&a->shape, &b->shape, &first, &end) != SC_APART)
				add(s, c, a, b);
		}
	}
}

static void find_conflicts(struct search *s)
{
	size_t ops = s->out->ops.count, at = 0;
	struct uses *of = sc_heap_xcalloc(ops + 1, sizeof(*of));

	if (s->uses.count)
		qsort(s->uses.items, s->uses.count, sizeof(*s->uses.items), by_address);
	for (uint32_t op = 0; op < ops; op++) {
		of[op].items = s->uses.items + at;
		while (at < s->uses.count && s->uses.items[at].op == op)
			at++;
		of[op].count = (size_t)(s->uses.items + at - of[op].items);
	}
	for (uint32_t b = 0; b < ops; b++)
		for (uint32_t a = 0; a < b; a++) {
			struct sc_open_conflict c = {0};

			if (s->out->conflicts.count == SC_OPEN_CONFLICTS_MAX) {
				s->out->is_cut = 1;
				break;
			}
			if (!is_ordered(s, a, b))
				meet(s, &of[a], &of[b], &c);
			if (c.pieces.count)
				sc_vector_push(&s->out->conflicts, c);
		}
	free(of);
}

static void add_nodes(struct search *s, const struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_exec *e = sc_exec_find(&a->order.execs, step->op->object);
	const struct sc_graph *g = e ? e->graph : NULL;
	const struct sc_replay *r = e ? e->replay : NULL;

	if (!g || !r || r->graph != g || !g->is_sealed || g->is_broken)
		return;
	for (uint32_t place = 0; place < g->places; place++) {
		const struct sc_graph_node *n = sc_graph_at(g, place);
		struct sc_open_op op = {.sequence = n->sequence,
					.launch = step->sequence + 1,
					.thread = step->op->thread,
					.node = n->parent ? 0 : place + 1};
		uint32_t number;

		if (!r->parts[place].count)
			continue;
		number = add_op(s, &op, &(struct moment){step->when, g->current[place]}, g);
		for (uint32_t i = 0; i < r->parts[place].count; i++)
			add_use(s, number, &r->uses.items[r->parts[place].first + i].use);
	}
}

/* The operation of a host function, which was placed when that was enqueued. */
static uint32_t op_of_callback(struct search *s, const struct sc_callback *c,
			       const struct sc_step *step)
{
	struct sc_open_op op = {.sequence = c->sequence, .thread = step->op->thread};

	for (size_t i = s->out->ops.count; i-- > 0;)
		if (s->out->ops.items[i].sequence == c->sequence && !s->out->ops.items[i].launch)
			return (uint32_t)i;
	return add_op(s, &op, &(struct moment){.when = step->host}, NULL);
}

static uint32_t op_of_access(struct search *s, const struct sc_step *step)
{
	struct sc_open_op op = {
		.sequence = step->sequence, .thread = step->op->thread, .is_host = 1};
	uint32_t number;

	for (size_t i = 0; i < s->blocks.count; i++)
		if (s->out->ops.items[s->blocks.items[i]].thread == op.thread) {
			number = s->blocks.items[i];
			s->moments.items[number].when.position = step->host.position;
			return number;
		}
	number = add_op(s, &op, &(struct moment){.when = step->host}, NULL);
	if (number < s->out->ops.count)
		sc_vector_push(&s->blocks, number);
	return number;
}

static uint32_t op_of_step(struct search *s, const struct sc_step *step)
{
	struct sc_open_op op = {.sequence = step->sequence, .thread = step->op->thread};

	if (step->inside)
		return op_of_callback(s, step->inside, step);
	if (is_access(step->op))
		return op_of_access(s, step);
	return add_op(s, &op, &(struct moment){.when = step->when}, NULL);
}

static void look(void *data, struct sc_analysis *a, const struct sc_record *r,
		 const struct sc_step *step)
{
	struct search *s = data;
	uint32_t number;

	if (r->op.call)
		sc_vector_clear(&s->blocks);
	if (r->op.flags & SC_FLAG_CAPTURED)
		return;
	if (r->op.kind == SC_OP_GRAPH_LAUNCH && step->is_enqueued && r->op.phase != SC_PHASE_END)
		add_nodes(s, a, step);
	/* Work that is enqueued before a host function runs may come after it: it is placed now. */
	if (r->op.kind == SC_OP_HOST_FUNC && step->is_enqueued && r->op.phase != SC_PHASE_END)
		op_of_step(s, step);
	if (is_passed(&r->op) || r->op.kind == SC_OP_HOST_FUNC || !a->uses.count ||
	    (!step->is_enqueued && !is_access(&r->op)) || (step->inside && step->inside->graph))
		return;
	number = op_of_step(s, step);
	for (size_t i = 0; i < a->uses.count; i++)
		add_use(s, number, &a->uses.items[i]);
}

/* Only operations of conflicts are kept, and what is ordered among them. */
static void keep_concerned(struct search *s)
{
	struct sc_open_pairs *p = s->out;
	uint32_t *number = sc_heap_xcalloc(p->ops.count + 1, sizeof(*number)), kept = 0;
	uint32_t *old = sc_heap_xcalloc(p->ops.count + 1, sizeof(*old));

	for (size_t i = 0; i < p->conflicts.count; i++)
		number[p->conflicts.items[i].pair.a] = number[p->conflicts.items[i].pair.b] = 1;
	for (uint32_t i = 0; i < p->ops.count; i++)
		if (number[i]) {
			p->ops.items[kept] = p->ops.items[i];
			old[kept] = i;
			number[i] = kept++;
		}
	p->ops.count = kept;
	sc_open_orders_init(&p->order, kept);
	for (uint32_t i = 0; i < kept; i++)
		for (uint32_t k = 0; k < kept; k++)
			if (s->before[(size_t)old[i] * SC_OPEN_OPS_MAX + old[k]])
				sc_open_orders_add(&p->order, k, i);
	for (size_t i = 0; i < p->conflicts.count; i++) {
		struct sc_open_pair *pair = &p->conflicts.items[i].pair;

		*pair = (struct sc_open_pair){number[pair->a], number[pair->b]};
	}
	free(number);
	free(old);
}

void sc_open_pairs_find(struct sc_open_pairs *p, struct sc_reader *r, const char *path,
			const struct sc_options *o)
{
	struct search s = {.out = p};
	struct sc_watch watch = {.look = look, .data = &s};

	*p = (struct sc_open_pairs){0};
	s.before = sc_heap_xcalloc((size_t)SC_OPEN_OPS_MAX * SC_OPEN_OPS_MAX, sizeof(*s.before));
	sc_analysis_free(sc_loaded_analyse(r, path, o, &watch));
	find_conflicts(&s);
	keep_concerned(&s);
	sc_vector_fini(&s.moments);
	sc_vector_fini(&s.uses);
	sc_vector_fini(&s.blocks);
	free(s.before);
}

void sc_open_pairs_fini(struct sc_open_pairs *p)
{
	for (size_t i = 0; i < p->conflicts.count; i++)
		sc_vector_fini(&p->conflicts.items[i].pieces);
	sc_vector_fini(&p->ops);
	sc_vector_fini(&p->conflicts);
	sc_open_orders_fini(&p->order);
}
