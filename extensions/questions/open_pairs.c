/* Open pairs: the uses of each operation, compared with those of all earlier ones. */
#include "extensions/questions/open_pairs.h"

#include <stdlib.h>
#include "analyzer/access/replay.h"
#include "analyzer/graph/exec.h"
#include "analyzer/model/model.h"
#include "base/heap.h"
#include "cmds/check/loaded.h"

/* What an operation does to some bytes. */
struct use {
	uint32_t op;
	uint64_t memory; /* that it is in, + 1 of the op that began it */
	uint8_t kind;	 /* of the memory */
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
			 each thread, until anything else happens */
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
				 .address = first,
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

static struct sc_open_conflict *find_conflict(struct sc_open_pairs *p, uint32_t a, uint32_t b)
{
	for (size_t i = p->conflicts.count; i-- > 0;)
		if (p->conflicts.items[i].pair.a == a && p->conflicts.items[i].pair.b == b)
			return &p->conflicts.items[i];
	return NULL;
}

/* Where two operations meet more than once, they are shown by bytes that both write. */
static void add_conflict(struct search *s, const struct use *a, const struct use *b, uint64_t first,
			 uint64_t end)
{
	bool is_turned = position_of(s, a) > position_of(s, b), is_known, both;
	const struct use *earlier = is_turned ? b : a, *later = is_turned ? a : b;
	struct sc_open_conflict new = {.pair = {earlier->op, later->op}}, *c;

	set_side(s, &new.side[0], earlier, first, end);
	set_side(s, &new.side[1], later, first, end);
	c = find_conflict(s->out, earlier->op, later->op);
	is_known = c != NULL;
	both = new.side[0].mode == SC_SIDE_WRITE &&new.side[1].mode == SC_SIDE_WRITE;
	if (!is_known)
		sc_vector_push(&s->out->conflicts, new);
	else if (both && !(c->side[0].mode == SC_SIDE_WRITE && c->side[1].mode == SC_SIDE_WRITE))
		*c = new;
}

static void add_use(struct search *s, uint32_t op, const struct sc_use *use)
{
	struct use new = {op, use->allocation->sequence, use->allocation->kind, use->shape};
	uint64_t first, end;

	if (use->is_strong || op >= s->out->ops.count)
		return;
	for (size_t i = 0; i < s->uses.count; i++) {
		const struct use *u = &s->uses.items[i];

		if (u->op == op || u->memory != new.memory ||
		    !(sc_mode_writes(u->shape.mode) || sc_mode_writes(new.shape.mode)) ||
		    is_ordered(s, u->op, op))
			continue;
		if (sc_shape_overlap(&u->shape, &new.shape, &first, &end) != SC_APART)
			add_conflict(s, u, &new, first, end);
	}
	sc_vector_push(&s->uses, new);
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

/* The operation of a host function, or a new one. */
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

	if (!is_access(&r->op))
		sc_vector_clear(&s->blocks);
	if (r->op.flags & SC_FLAG_CAPTURED)
		return;
	if (r->op.kind == SC_OP_GRAPH_LAUNCH && step->is_enqueued && r->op.phase != SC_PHASE_END)
		add_nodes(s, a, step);
	if (is_passed(&r->op) || !a->uses.count || (!step->is_enqueued && !is_access(&r->op)) ||
	    (step->inside && step->inside->graph))
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
	keep_concerned(&s);
	sc_vector_fini(&s.moments);
	sc_vector_fini(&s.uses);
	sc_vector_fini(&s.blocks);
	free(s.before);
}

void sc_open_pairs_fini(struct sc_open_pairs *p)
{
	sc_vector_fini(&p->ops);
	sc_vector_fini(&p->conflicts);
	sc_open_orders_fini(&p->order);
}
