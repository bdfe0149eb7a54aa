/* Control flow of a flat kernel: blocks, edges, dominators, natural loops. */
#include "analyzer/footprint/flow.h"

#include <errno.h>
#include <string.h>

#include "base/heap.h"

/* Blocks in text order, before unreachable ones fall away. */
struct draft {
	SC_VECTOR(struct sc_block) blocks;
	SC_VECTOR(struct sc_edge) edges; /* grouped by `from` */
	uint32_t *block_at;		 /* owned: instruction → block */
	uint32_t *order;		 /* owned: block → reverse postorder, or NONE */
};

static _Bool ends_block(const struct sc_instruction *in)
{
	return sc_opcode_class(in->opcode) == SC_PTX_CLASS_CONTROL && in->opcode != SC_PTX_CALL;
}

static void find_blocks(struct draft *d, const struct sc_function *f)
{
	_Bool *leader = sc_heap_xcalloc(f->code.count + 1, sizeof(*leader));

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
	struct sc_edge edge = {.from = from, .to = to, .kind = kind};

	if (to >= d->blocks.count) {
		d->blocks.items[from].leaves = 1;
		return;
	}
	for (size_t i = d->blocks.items[from].succ_first; i < d->edges.count; i++)
		if (d->edges.items[i].to == to) {
			if (kind != SC_EDGE_MANY)
				d->edges.items[i].kind = SC_EDGE_ALWAYS;
			return;
		}
	sc_vector_push(&d->edges, edge);
}

static void add_label_edge(struct draft *d, const struct sc_function *f, uint32_t from,
			   uint32_t label, uint8_t kind)
{
	uint32_t at = label < f->labels.count ? f->labels.items[label] : SC_FLOW_NONE;

	if (!(at & SC_LABEL_TARGETS) && at <= f->code.count)
		add_edge(d, from, d->block_at[at], kind);
}

static void add_target_edges(struct draft *d, const struct sc_function *f, uint32_t from,
			     const struct sc_operand *list)
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
	const struct sc_operand *operands = &f->operands.items[last->first];
	_Bool falls = !ends_block(last) || last->guard;

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
			struct sc_edge edge = d->edges.items[first + e];

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

static uint32_t meet(const struct sc_flow *flow, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (a > b)
			a = flow->blocks.items[a].dominator;
		else
			b = flow->blocks.items[b].dominator;
	}
	return a;
}

static uint32_t best_dominator(const struct sc_flow *flow, const struct sc_block *block)
{
	uint32_t best = SC_FLOW_NONE;

	for (uint32_t e = 0; e < block->pred_count; e++) {
		uint32_t from =
			flow->edges.items[flow->pred_edges.items[block->pred_first + e]].from;

		if (flow->blocks.items[from].dominator == SC_FLOW_NONE)
			continue;
		best = best == SC_FLOW_NONE ? from : meet(flow, from, best);
	}
	return best;
}

/* Cooper, Harvey, Kennedy: iterate to the fixed point; reducible flows need one round. */
static void find_dominators(struct sc_flow *flow)
{
	_Bool changed = 1;

	for (size_t i = 0; i < flow->blocks.count; i++)
		flow->blocks.items[i].dominator = i ? SC_FLOW_NONE : 0;
	while (changed) {
		changed = 0;
		for (size_t i = 1; i < flow->blocks.count; i++) {
			struct sc_block *block = &flow->blocks.items[i];
			uint32_t best = best_dominator(flow, block);

			changed |= best != block->dominator;
			block->dominator = best;
		}
	}
}

/* Adds everything that reaches the back edges of `header` to a new loop around it. */
static void fill_loop(struct sc_flow *flow, uint32_t loop, uint32_t *stack)
{
	uint32_t header = flow->loops.items[loop].header, depth = 0;
	const struct sc_block *h = &flow->blocks.items[header];

	for (uint32_t e = 0; e < h->pred_count; e++) {
		const struct sc_edge *edge =
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

static _Bool is_header(const struct sc_flow *flow, uint32_t b)
{
	const struct sc_block *block = &flow->blocks.items[b];

	for (uint32_t e = 0; e < block->pred_count; e++)
		if (flow->edges.items[flow->pred_edges.items[block->pred_first + e]].is_back)
			return 1;
	return 0;
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
	return flow->loops.count > SC_FLOW_LOOPS ? -E2BIG : 0;
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
	for (uint32_t b = 0; b < d.blocks.count; b++)
		find_edges_of(&d, &flat->f, b);
	count = order_blocks(&d);
	keep_reachable(flow, &d, count);
	link_preds(flow);
	find_dominators(flow);
	err = check_reducible(flow);
	if (!err)
		err = find_loops(flow);
out:
	if (err)
		sc_flow_fini(flow);
	free(d.block_at);
	free(d.order);
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

_Bool sc_flow_dominates(const struct sc_flow *flow, uint32_t a, uint32_t b)
{
	while (b > a)
		b = flow->blocks.items[b].dominator;
	return a == b;
}

_Bool sc_flow_in_loop(const struct sc_flow *flow, uint32_t b, uint32_t loop)
{
	uint32_t at = flow->blocks.items[b].loop;

	while (at != loop && at != SC_FLOW_NONE)
		at = flow->loops.items[at].parent;
	return at == loop;
}
