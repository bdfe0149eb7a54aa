/* Where the lanes that a branch divided meet again: immediate post-dominators.
 *
 * The algorithm is that of Cooper, Harvey and Kennedy on the reversed flow: blocks in reverse
 * postorder from the end, each block's post-dominator the nearest common one of its successors',
 * until nothing changes. Of the places where threads exit, only the end of the code counts: a join
 * does not wait for lanes that have exited, so that those of a loop some lanes of which leave the
 * kernel meet after it all the same.
 */
#include "simulator/executor/flow.h"

#include <stdlib.h>

#define NONE EXEC_NOWHERE

/* A basic block; the last one is the end, to which all exits lead. */
struct block {
	uint32_t first;
	uint32_t next[2]; /* blocks after it, NONE: no (further) one */
	uint32_t before;  /* first of its entries in `links`, + count */
	uint32_t before_count;
	uint32_t order; /* in postorder from the end, NONE: does not reach it */
	uint32_t after; /* the immediate post-dominator, NONE: not known */
};

struct graph {
	const struct sc_function *f;
	struct block *blocks; /* owned */
	uint32_t count;	      /* with the end */
	uint32_t *block_of;   /* owned; of each instruction */
	uint32_t *links;      /* owned; predecessors of the blocks */
	uint32_t *order;      /* owned; blocks in postorder from the end */
	uint32_t ordered;
};

static bool ends(const struct sc_instruction *in)
{
	return in->opcode == SC_PTX_RET || in->opcode == SC_PTX_EXIT || in->opcode == SC_PTX_TRAP;
}

uint32_t exec_flow_target(const struct sc_function *f, const struct sc_instruction *in)
{
	const struct sc_ptx_operand *o = &f->operands.items[in->first];
	uint32_t at;

	if (!in->count || o->kind != SC_OPERAND_LABEL)
		return NONE;
	at = f->labels.items[o->id];
	return at <= f->code.count ? at : NONE;
}

static bool mark_leaders(const struct sc_function *f, bool *leads)
{
	uint32_t target;

	leads[0] = 1;
	for (uint32_t i = 0; i < f->code.count; i++) {
		const struct sc_instruction *in = &f->code.items[i];

		if (in->opcode == SC_PTX_BRX)
			return 0;
		if (in->opcode == SC_PTX_BRA) {
			target = exec_flow_target(f, in);
			if (target == NONE)
				return 0;
			leads[target] = 1;
		}
		if (in->opcode == SC_PTX_BRA || ends(in))
			leads[i + 1] = 1;
	}
	return 1;
}

static void make_blocks(struct graph *g, const bool *leads)
{
	uint32_t n = (uint32_t)g->f->code.count, count = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (leads[i])
			g->blocks[count++].first = i;
		g->block_of[i] = count - 1;
	}
	g->block_of[n] = count;
	g->blocks[count].first = n;
	g->count = count + 1;
}

static void link_blocks(struct graph *g)
{
	uint32_t end = g->count - 1;

	for (uint32_t b = 0; b < end; b++) {
		uint32_t last = g->blocks[b + 1].first - 1;
		const struct sc_instruction *in = &g->f->code.items[last];
		uint32_t *next = g->blocks[b].next;

		next[0] = b + 1;
		next[1] = NONE;
		if (in->opcode != SC_PTX_BRA && !ends(in))
			continue;
		next[1] = ends(in) ? NONE : g->block_of[exec_flow_target(g->f, in)];
		if (ends(in) && b + 1 == end)
			next[1] = end;
		if (!in->guard)
			next[0] = NONE;
		if (next[0] == next[1])
			next[1] = NONE;
	}
	g->blocks[end].next[0] = g->blocks[end].next[1] = NONE;
}

static void link_back(struct graph *g)
{
	uint32_t at = 0;

	for (uint32_t b = 0; b < g->count; b++)
		for (unsigned k = 0; k < 2; k++)
			if (g->blocks[b].next[k] != NONE)
				g->blocks[g->blocks[b].next[k]].before_count++;
	for (uint32_t b = 0; b < g->count; b++) {
		g->blocks[b].before = at;
		at += g->blocks[b].before_count;
		g->blocks[b].before_count = 0;
	}
	for (uint32_t b = 0; b < g->count; b++)
		for (unsigned k = 0; k < 2; k++) {
			struct block *to = g->blocks[b].next[k] == NONE
						   ? NULL
						   : &g->blocks[g->blocks[b].next[k]];

			if (to)
				g->links[to->before + to->before_count++] = b;
		}
}

/* Postorder from the end along the predecessors; `stack` and `seen` have room for all blocks. */
static void number_blocks(struct graph *g, uint32_t *stack, uint32_t *seen)
{
	uint32_t depth = 0, b;

	for (b = 0; b < g->count; b++)
		g->blocks[b].order = g->blocks[b].after = NONE;
	stack[depth++] = g->count - 1;
	g->blocks[g->count - 1].order = 0; /* entered */
	while (depth) {
		b = stack[depth - 1];
		if (seen[b] < g->blocks[b].before_count) {
			uint32_t p = g->links[g->blocks[b].before + seen[b]++];

			if (g->blocks[p].order == NONE) {
				g->blocks[p].order = 0;
				stack[depth++] = p;
			}
			continue;
		}
		g->blocks[b].order = g->ordered;
		g->order[g->ordered++] = b;
		depth--;
	}
}

static uint32_t common(const struct graph *g, uint32_t a, uint32_t b)
{
	while (a != b)
		if (g->blocks[a].order < g->blocks[b].order)
			a = g->blocks[a].after;
		else
			b = g->blocks[b].after;
	return a;
}

static uint32_t nearest(const struct graph *g, uint32_t b)
{
	uint32_t found = NONE;

	for (unsigned k = 0; k < 2; k++) {
		uint32_t next = g->blocks[b].next[k];

		if (next == NONE || g->blocks[next].after == NONE)
			continue;
		found = found == NONE ? next : common(g, found, next);
	}
	return found;
}

static void find_after(struct graph *g)
{
	uint32_t end = g->count - 1;
	bool changes = 1;

	g->blocks[end].after = end;
	while (changes) {
		changes = 0;
		for (uint32_t i = g->ordered - 1; i-- > 0;) {
			uint32_t b = g->order[i], after = nearest(g, b);

			changes |= g->blocks[b].after != after;
			g->blocks[b].after = after;
		}
	}
}

/* Lanes that only exit there need not meet: others may wait for their exit at a barrier. */
static bool only_exits(const struct graph *g, uint32_t b)
{
	const struct sc_instruction *in = &g->f->code.items[g->blocks[b].first];

	return ends(in) && !in->guard;
}

static void note_joins(const struct graph *g, struct exec_flow *flow)
{
	uint32_t end = g->count - 1;

	for (uint32_t b = 0; b < end; b++) {
		uint32_t last = g->blocks[b + 1].first - 1, after = g->blocks[b].after;

		flow->join[last] = NONE;
		if (after == NONE || after == end || g->blocks[b].next[0] == NONE ||
		    g->blocks[b].next[1] == NONE || only_exits(g, after))
			continue;
		flow->join[last] = g->blocks[after].first;
		flow->is_join[g->blocks[after].first] = 1;
	}
}

bool exec_flow_make(struct exec_flow *flow, const struct sc_function *f)
{
	size_t n = f->code.count;
	struct graph g = {.f = f};
	bool *leads = calloc(n + 2, sizeof(*leads)), ok = 0;
	uint32_t *stack = calloc(n + 2, sizeof(*stack)), *seen = calloc(n + 2, sizeof(*seen));

	g.blocks = calloc(n + 2, sizeof(*g.blocks));
	g.block_of = calloc(n + 2, sizeof(*g.block_of));
	g.links = calloc(2 * n + 4, sizeof(*g.links));
	g.order = calloc(n + 2, sizeof(*g.order));
	flow->join = calloc(n + 2, sizeof(*flow->join));
	flow->is_join = calloc(n + 2, sizeof(*flow->is_join));
	if (leads && stack && seen && g.blocks && g.block_of && g.links && g.order && flow->join &&
	    flow->is_join && n && n < UINT32_MAX / 4)
		ok = mark_leaders(f, leads);
	if (ok) {
		make_blocks(&g, leads);
		link_blocks(&g);
		link_back(&g);
		number_blocks(&g, stack, seen);
		find_after(&g);
		note_joins(&g, flow);
	}
	free(leads);
	free(stack);
	free(seen);
	free(g.blocks);
	free(g.block_of);
	free(g.links);
	free(g.order);
	return ok;
}

void exec_flow_fini(struct exec_flow *flow)
{
	free(flow->join);
	free(flow->is_join);
}
