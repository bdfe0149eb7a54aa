/* Control flow of a flat kernel: blocks, edges, dominators, natural loops. */
#include "footprint/flow.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/heap.h"

#define STEPS 4000000 /* up the tree of dominators */

/* Blocks in text order, before unreachable ones fall away. */
struct draft {
	SC_VECTOR(struct sc_block) blocks;
	SC_VECTOR(struct sc_flow_edge) edges; /* grouped by `from` */
	uint32_t *block_at;		      /* owned: instruction → block */
	uint32_t *order;		      /* owned: block → reverse postorder, or NONE */
	uint32_t *entered;		      /* owned: block → last edge to it, + 1 */
};

static bool ends_block(const struct sc_instruction *in)
{
	return sc_opcode_class(in->opcode) == SC_PTX_CLASS_CONTROL && in->opcode != SC_PTX_CALL;
}

static void find_blocks(struct draft *d, const struct sc_function *f)
{
	bool *leader = sc_heap_xcalloc(f->code.count + 1, sizeof(*leader));

	leader[0] = 1;
	for (size_t i = 0; i < f->labels.count; i++)
		if (f->labels.items[i] <= f->code.count)
			leader[f->labels.items[i]] = 1;
	for (size_t i = 0; i < f->code.count; i++)
		if (ends_block(&f->code.items[i]))
			leader[i + 1] = 1;
	d->block_at = sc_heap_xcalloc(f->code.count + 1, sizeof(*d->block_at));
	for (uint32_t i = 0; i < f->code.count; i++) {
		if (leader[i]) {
			struct sc_block b = {.first = i, .end = i};

			sc_vector_push(&d->blocks, b);
		}
		d->block_at[i] = (uint32_t)(d->blocks.count - 1);
		sc_vector_last(&d->blocks)->end = i + 1;
	}
	d->block_at[f->code.count] = (uint32_t)d->blocks.count;
	free(leader);
}

static void add_edge(struct draft *d, uint32_t from, uint32_t to, uint8_t kind)
{
	struct sc_flow_edge edge = {.from = from, .to = to, .kind = kind}, *last;

	if (to >= d->blocks.count) {
		d->blocks.items[from].leaves = 1;
		return;
	}
	last = d->entered[to] ? &d->edges.items[d->entered[to] - 1] : NULL;
	if (last && last->from == from) {
		if (kind != SC_EDGE_MANY)
			last->kind = SC_EDGE_ALWAYS;
		return;
	}
	if (d->edges.count > SC_FLOW_EDGES)
		return;
	sc_vector_push(&d->edges, edge);
	d->entered[to] = (uint32_t)d->edges.count;
}

static void add_label_edge(struct draft *d, const struct sc_function *f, uint32_t from,
			   uint32_t label, uint8_t kind)
{
	uint32_t at = label < f->labels.count ? f->labels.items[label] : SC_FLOW_NONE;

	if (!(at & SC_LABEL_TARGETS) && at <= f->code.count)
		add_edge(d, from, d->block_at[at], kind);
}

static void add_target_edges(struct draft *d, const struct sc_function *f, uint32_t from,
			     const struct sc_ptx_operand *list)
{
	uint32_t at;

	if (list->kind != SC_OPERAND_LABEL || list->id >= f->labels.count)
		return;
	at = f->labels.items[list->id];
	if (!(at & SC_LABEL_TARGETS))
		return;
	at &= ~SC_LABEL_TARGETS;
	for (uint32_t i = 0; i < f->targets.items[at]; i++)
		add_label_edge(d, f, from, f->targets.items[at + 1 + i], SC_EDGE_MANY);
}

static void find_edges_of(struct draft *d, const struct sc_function *f, uint32_t b)
{
	struct sc_block *block = &d->blocks.items[b];
	const struct sc_instruction *last = &f->code.items[block->end - 1];
	const struct sc_ptx_operand *operands = &f->operands.items[last->first];
	bool falls = !ends_block(last) || last->guard;

	block->succ_first = (uint32_t)d->edges.count;
	if (last->opcode == SC_PTX_BRA && last->count && operands[0].kind == SC_OPERAND_LABEL)
		add_label_edge(d, f, b, operands[0].id,
			       last->guard ? SC_EDGE_TAKEN : SC_EDGE_ALWAYS);
	else if (last->opcode == SC_PTX_BRX && last->count > 1)
		add_target_edges(d, f, b, &operands[1]);
	else if (last->opcode == SC_PTX_RET || last->opcode == SC_PTX_EXIT)
		block->leaves = 1;
	if (falls)
		add_edge(d, b, b + 1,
			 ends_block(last) && last->guard ? SC_EDGE_NOT_TAKEN : SC_EDGE_ALWAYS);
	block->succ_count = (uint32_t)(d->edges.count - block->succ_first);
}

/* Numbers the reachable blocks in reverse postorder; returns how many there are. */
static uint32_t order_blocks(struct draft *d)
{
	size_t total = d->blocks.count, depth = 0;
	uint32_t *stack = sc_heap_xcalloc(total + 1, sizeof(*stack));
	uint32_t *next = sc_heap_xcalloc(total + 1, sizeof(*next));
	uint32_t *post = sc_heap_xcalloc(total + 1, sizeof(*post));
	uint32_t count = 0;

	d->order = sc_heap_xcalloc(total + 1, sizeof(*d->order));
	memset(d->order, 0xff, (total + 1) * sizeof(*d->order));
	if (total) {
		d->order[0] = 0;
		stack[depth++] = 0;
	}
	while (depth) {
		uint32_t b = stack[depth - 1];
		const struct sc_block *block = &d->blocks.items[b];

		if (next[b] == block->succ_count) {
			post[count++] = b;
			depth--;
			continue;
		}
		b = d->edges.items[block->succ_first + next[b]++].to;
		if (d->order[b] == SC_FLOW_NONE) {
			d->order[b] = 0;
			stack[depth++] = b;
		}
	}
	for (uint32_t i = 0; i < count; i++)
		d->order[post[i]] = count - 1 - i;
	free(stack);
	free(next);
	free(post);
	return count;
}

static void keep_reachable(struct sc_flow *flow, const struct draft *d, uint32_t count)
{
	uint32_t *from = sc_heap_xcalloc(count + 1, sizeof(*from));

	for (uint32_t i = 0; i < d->blocks.count; i++)
		if (d->order[i] != SC_FLOW_NONE)
			from[d->order[i]] = i;
	for (uint32_t i = 0; i < count; i++) {
		struct sc_block b = d->blocks.items[from[i]];
		uint32_t first = b.succ_first;

		b.succ_first = (uint32_t)flow->edges.count;
		b.loop = SC_FLOW_NONE;
		for (uint32_t e = 0; e < b.succ_count; e++) {
			struct sc_flow_edge edge = d->edges.items[first + e];

			edge.from = i;
			edge.to = d->order[edge.to];
			edge.is_back = edge.to <= i;
			sc_vector_push(&flow->edges, edge);
		}
		sc_vector_push(&flow->blocks, b);
	}
	free(from);
}

static void link_preds(struct sc_flow *flow)
{
	uint32_t first = 0;

	for (size_t i = 0; i < flow->edges.count; i++)
		flow->blocks.items[flow->edges.items[i].to].pred_count++;
	for (size_t i = 0; i < flow->blocks.count; i++) {
		flow->blocks.items[i].pred_first = first;
		first += flow->blocks.items[i].pred_count;
		flow->blocks.items[i].pred_count = 0;
	}
	sc_vector_reserve(&flow->pred_edges, first);
	flow->pred_edges.count = first;
	for (uint32_t i = 0; i < flow->edges.count; i++) {
		struct sc_block *b = &flow->blocks.items[flow->edges.items[i].to];

		flow->pred_edges.items[b->pred_first + b->pred_count++] = i;
	}
}

static uint32_t meet(const struct sc_flow *flow, uint32_t a, uint32_t b, uint32_t *steps)
{
	while (a != b && *steps) {
		--*steps;
		if (a > b)
			a = flow->blocks.items[a].dominator;
		else
			b = flow->blocks.items[b].dominator;
	}
	return a;
}

static uint32_t best_dominator(const struct sc_flow *flow, const struct sc_block *block,
			       uint32_t *steps)
{
	uint32_t best = SC_FLOW_NONE;

	/* The farthest first: what the nearer ones have in common with it is not far from them. */
	for (uint32_t e = block->pred_count; e-- > 0;) {
		uint32_t from =
			flow->edges.items[flow->pred_edges.items[block->pred_first + e]].from;

		if (flow->blocks.items[from].dominator == SC_FLOW_NONE)
			continue;
		best = best == SC_FLOW_NONE ? from : meet(flow, from, best, steps);
	}
	return best;
}

static bool improve_dominators(struct sc_flow *flow, uint32_t *steps)
{
	bool changed = 0;

	for (size_t i = 1; i < flow->blocks.count; i++) {
		struct sc_block *block = &flow->blocks.items[i];
		uint32_t best = best_dominator(flow, block, steps);

		changed |= best != block->dominator;
		block->dominator = best;
	}
	return changed;
}

/* Cooper, Harvey, Kennedy: iterate to the fixed point; reducible flows need one round. */
static int find_dominators(struct sc_flow *flow)
{
	uint32_t steps = STEPS;
	bool is_changing = 1;

	for (size_t i = 0; i < flow->blocks.count; i++)
		flow->blocks.items[i].dominator = i ? SC_FLOW_NONE : 0;
	for (unsigned round = 0; is_changing && round < 2; round++)
		is_changing = improve_dominators(flow, &steps);
	if (!steps)
		return -E2BIG;
	return is_changing ? -ELOOP : 0;
}

/* Ranks make it one comparison whether a block dominates another. */
static void rank_blocks(struct sc_flow *flow)
{
	size_t count = flow->blocks.count;
	uint32_t *next = sc_heap_xcalloc(count + 1, sizeof(*next));

	for (size_t i = count; i-- > 0;) {
		struct sc_block *b = &flow->blocks.items[i];

		b->below++;
		if (i)
			flow->blocks.items[b->dominator].below += b->below;
	}
	for (size_t i = 0; i < count; i++) {
		struct sc_block *b = &flow->blocks.items[i];

		b->rank = i ? next[b->dominator] : 0;
		if (i)
			next[b->dominator] += b->below;
		next[i] = b->rank + 1;
	}
	free(next);
}

/* Adds everything that reaches the back edges of `header` to a new loop around it. */
static void fill_loop(struct sc_flow *flow, uint32_t loop, uint32_t *stack)
{
	uint32_t header = flow->loops.items[loop].header, depth = 0;
	const struct sc_block *h = &flow->blocks.items[header];

	for (uint32_t e = 0; e < h->pred_count; e++) {
		const struct sc_flow_edge *edge =
			&flow->edges.items[flow->pred_edges.items[h->pred_first + e]];

		if (edge->is_back)
			stack[depth++] = edge->from;
	}
	while (depth) {
		struct sc_block *b = &flow->blocks.items[stack[--depth]];
		uint32_t inner = b->loop;

		if (inner == SC_FLOW_NONE) {
			b->loop = loop;
		} else {
			while (inner != loop && flow->loops.items[inner].parent != SC_FLOW_NONE)
				inner = flow->loops.items[inner].parent;
			if (inner == loop)
				continue;
			flow->loops.items[inner].parent = loop;
			b = &flow->blocks.items[flow->loops.items[inner].header];
		}
		if (b == h)
			continue;
		for (uint32_t e = 0; e < b->pred_count; e++)
			if (!flow->edges.items[flow->pred_edges.items[b->pred_first + e]].is_back ||
			    inner == SC_FLOW_NONE)
				stack[depth++] =
					flow->edges.items[flow->pred_edges.items[b->pred_first + e]]
						.from;
	}
}

static bool is_header(const struct sc_flow *flow, uint32_t b)
{
	const struct sc_block *block = &flow->blocks.items[b];

	for (uint32_t e = 0; e < block->pred_count; e++)
		if (flow->edges.items[flow->pred_edges.items[block->pred_first + e]].is_back)
			return 1;
	return 0;
}

/* Returns how many blocks the loops span together. */
static uint64_t find_ends(struct sc_flow *flow)
{
	uint64_t span = 0;

	for (uint32_t b = 0; b < flow->blocks.count; b++) {
		uint32_t loop = flow->blocks.items[b].loop;

		for (; loop != SC_FLOW_NONE; loop = flow->loops.items[loop].parent)
			flow->loops.items[loop].end = b + 1;
	}
	for (size_t i = 0; i < flow->loops.count; i++)
		span += flow->loops.items[i].end - flow->loops.items[i].header;
	return span;
}

static int find_loops(struct sc_flow *flow)
{
	uint32_t *stack = sc_heap_xcalloc(flow->edges.count * 2 + 1, sizeof(*stack));
	uint32_t count = (uint32_t)flow->blocks.count;

	for (uint32_t b = count; b-- > 0;)
		if (is_header(flow, b)) {
			struct sc_loop loop = {.header = b, .parent = SC_FLOW_NONE};

			sc_vector_push(&flow->loops, loop);
			if (flow->loops.count > SC_FLOW_LOOPS)
				break;
			fill_loop(flow, (uint32_t)(flow->loops.count - 1), stack);
			flow->blocks.items[b].loop = flow->blocks.items[b].loop == SC_FLOW_NONE
							     ? (uint32_t)(flow->loops.count - 1)
							     : flow->blocks.items[b].loop;
		}
	free(stack);
	for (size_t i = flow->loops.count; i-- > 0;) {
		struct sc_loop *loop = &flow->loops.items[i];

		loop->depth = loop->parent == SC_FLOW_NONE
				      ? 0
				      : flow->loops.items[loop->parent].depth + 1;
		if (loop->depth >= SC_FLOW_DEPTH)
			return -E2BIG;
	}
	return flow->loops.count > SC_FLOW_LOOPS || find_ends(flow) > SC_FLOW_SPAN ? -E2BIG : 0;
}

static int check_reducible(const struct sc_flow *flow)
{
	for (size_t i = 0; i < flow->edges.count; i++)
		if (flow->edges.items[i].is_back &&
		    !sc_flow_dominates(flow, flow->edges.items[i].to, flow->edges.items[i].from))
			return -ELOOP;
	return 0;
}

int sc_flow_make(struct sc_flow *flow, const struct sc_flat *flat)
{
	struct draft d = {0};
	uint32_t count;
	int err = -E2BIG;

	memset(flow, 0, sizeof(*flow));
	find_blocks(&d, &flat->f);
	if (d.blocks.count > SC_FLOW_BLOCKS)
		goto out;
	d.entered = sc_heap_xcalloc(d.blocks.count + 1, sizeof(*d.entered));
	for (uint32_t b = 0; b < d.blocks.count; b++)
		find_edges_of(&d, &flat->f, b);
	if (d.edges.count > SC_FLOW_EDGES)
		goto out;
	count = order_blocks(&d);
	keep_reachable(flow, &d, count);
	link_preds(flow);
	err = find_dominators(flow);
	if (err)
		goto out;
	rank_blocks(flow);
	err = check_reducible(flow);
	if (!err)
		err = find_loops(flow);
out:
	if (err)
		sc_flow_fini(flow);
	free(d.block_at);
	free(d.order);
	free(d.entered);
	sc_vector_fini(&d.blocks);
	sc_vector_fini(&d.edges);
	return err;
}

void sc_flow_fini(struct sc_flow *flow)
{
	sc_vector_fini(&flow->blocks);
	sc_vector_fini(&flow->edges);
	sc_vector_fini(&flow->pred_edges);
	sc_vector_fini(&flow->loops);
}

bool sc_flow_dominates(const struct sc_flow *flow, uint32_t a, uint32_t b)
{
	const struct sc_block *x = &flow->blocks.items[a];

	return flow->blocks.items[b].rank - x->rank < x->below;
}

bool sc_flow_in_loop(const struct sc_flow *flow, uint32_t b, uint32_t loop)
{
	uint32_t at = flow->blocks.items[b].loop;

	while (at != loop && at != SC_FLOW_NONE)
		at = flow->loops.items[at].parent;
	return at == loop;
}
