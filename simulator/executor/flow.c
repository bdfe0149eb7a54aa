/* Where the lanes that a branch divided meet again: immediate post-dominators.
 *
 * The algorithm is that of Cooper, Harvey and Kennedy on the reversed flow: blocks in reverse
 * postorder from the end, each block's post-dominator the nearest common one of its successors',
 * until nothing changes. Of the places where threads exit, each block counts one only: the last
 * return of the text that it reaches; without one, the last trap or call that does not return;
 * without one, the last block of a loop that has no exit. A join does not wait for lanes that have
 * exited, so that those of a loop some lanes of which leave the kernel meet after it all the same.
 */
#include "simulator/executor/flow.h"

#include <stdlib.h>
#include <string.h>

#include "simulator/executor/code/functions.h"

#define NONE EXEC_NOWHERE

/* A basic block; the last one is the end, to which all exits lead. */
struct block {
	uint32_t first;
	uint32_t next; /* first of the blocks after it in `nexts`, + count */
	uint32_t next_count;
	uint32_t ways;	 /* successors, also those that do not lead to the same exit */
	uint32_t before; /* first of its entries in `links`, + count */
	uint32_t before_count;
	uint32_t order;	 /* in postorder from the end, NONE: does not reach it */
	uint32_t after;	 /* the immediate post-dominator, NONE: not known */
	uint32_t exit;	 /* number of the exit that counts for it, 0: none so far */
	bool is_reached; /* from the beginning */
};

struct graph {
	const struct sc_ptx *m;
	const struct sc_function *f;
	struct block *blocks; /* owned */
	uint32_t count;	      /* with the end */
	uint32_t *block_of;   /* owned; of each instruction */
	uint32_t *nexts;      /* owned; successors of the blocks */
	uint32_t *links;      /* owned; predecessors of the blocks */
	uint32_t *order;      /* owned; blocks in postorder from the end */
	uint32_t ordered;
};

static bool is_return(const struct sc_instruction *in)
{
	return in->opcode == SC_PTX_RET || in->opcode == SC_PTX_EXIT;
}

/* A call of a function that is declared .noreturn. */
static bool calls_for_good(const struct graph *g, const struct sc_instruction *in)
{
	const struct sc_ptx_operand *callee = &g->f->operands.items[in->first];
	uint32_t index = exec_functions_callee(g->f, in);

	if (index >= in->count || callee[index].kind != SC_OPERAND_NAME)
		return 0;
	for (size_t i = 0; i < g->m->functions.count; i++)
		if (g->m->functions.items[i].no_return &&
		    g->m->functions.items[i].name == callee[index].id)
			return 1;
	return 0;
}

/* No thread goes on after it. */
static bool ends(const struct graph *g, const struct sc_instruction *in)
{
	if (in->opcode == SC_PTX_CALL)
		return calls_for_good(g, in);
	return is_return(in) || in->opcode == SC_PTX_TRAP ||
	       (in->opcode == SC_PTX_OTHER && !strcmp(g->m->names.items[in->name], "brkpt"));
}

static bool is_branch(const struct sc_instruction *in)
{
	return in->opcode == SC_PTX_BRA || in->opcode == SC_PTX_BRX;
}

/* The labels that a branch may lead to. */
static const uint32_t *labels_of(const struct sc_function *f, const struct sc_instruction *in,
				 uint32_t *count)
{
	const struct sc_ptx_operand *o = &f->operands.items[in->first];
	uint32_t at;

	*count = 0;
	o += in->opcode == SC_PTX_BRX;
	if (in->count <= (in->opcode == SC_PTX_BRX) || o->kind != SC_OPERAND_LABEL)
		return NULL;
	*count = 1;
	if (in->opcode == SC_PTX_BRA)
		return &o->id;
	at = f->labels.items[o->id];
	*count = at & SC_LABEL_TARGETS ? f->targets.items[at & ~SC_LABEL_TARGETS] : 0;
	return *count ? &f->targets.items[(at & ~SC_LABEL_TARGETS) + 1] : NULL;
}

uint32_t exec_flow_target_count(const struct sc_function *f, const struct sc_instruction *in)
{
	uint32_t count;

	labels_of(f, in, &count);
	return count;
}

uint32_t exec_flow_target(const struct sc_function *f, const struct sc_instruction *in,
			  uint32_t index)
{
	uint32_t count, at;
	const uint32_t *labels = labels_of(f, in, &count);

	at = index < count ? f->labels.items[labels[index]] : NONE;
	return at <= f->code.count ? at : NONE;
}

static bool mark_targets(const struct sc_function *f, const struct sc_instruction *in, bool *leads)
{
	uint32_t count = exec_flow_target_count(f, in);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t target = exec_flow_target(f, in, i);

		if (target == NONE)
			return 0;
		leads[target] = 1;
	}
	return count != 0;
}

static bool mark_leaders(const struct graph *g, bool *leads)
{
	const struct sc_function *f = g->f;

	leads[0] = 1;
	for (uint32_t i = 0; i < f->code.count; i++) {
		const struct sc_instruction *in = &f->code.items[i];

		if (is_branch(in) && !mark_targets(f, in, leads))
			return 0;
		if (is_branch(in) || ends(g, in))
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

/* Adds a successor; one that is there counts once. */
static void link_to(struct graph *g, struct block *b, uint32_t to)
{
	for (uint32_t i = 0; i < b->next_count; i++)
		if (g->nexts[b->next + i] == to)
			return;
	g->nexts[b->next + b->next_count++] = to;
}

/* What a block's last instruction leads to, with room for one more: the exit. */
static void link_blocks(struct graph *g)
{
	uint32_t end = g->count - 1, at = 0;

	for (uint32_t b = 0; b < end; b++) {
		struct block *block = &g->blocks[b];
		const struct sc_instruction *in = &g->f->code.items[block[1].first - 1];
		uint32_t count = is_branch(in) ? exec_flow_target_count(g->f, in) : 0;

		block->next = at;
		if ((!is_branch(in) && !ends(g, in)) || in->guard ||
		    (is_return(in) && b + 1 == end))
			link_to(g, block, b + 1);
		for (uint32_t i = 0; i < count; i++)
			link_to(g, block, g->block_of[exec_flow_target(g->f, in, i)]);
		block->ways = block->next_count;
		at += block->next_count + 1;
	}
	g->blocks[end].next = at;
}

static void link_back(struct graph *g)
{
	uint32_t at = 0;

	for (uint32_t b = 0; b < g->count; b++)
		g->blocks[b].before_count = 0;
	for (uint32_t b = 0; b < g->count; b++)
		for (uint32_t k = 0; k < g->blocks[b].next_count; k++)
			g->blocks[g->nexts[g->blocks[b].next + k]].before_count++;
	for (uint32_t b = 0; b < g->count; b++) {
		g->blocks[b].before = at;
		at += g->blocks[b].before_count;
		g->blocks[b].before_count = 0;
	}
	for (uint32_t b = 0; b < g->count; b++)
		for (uint32_t k = 0; k < g->blocks[b].next_count; k++) {
			struct block *to = &g->blocks[g->nexts[g->blocks[b].next + k]];

			g->links[to->before + to->before_count++] = b;
		}
}

static void mark_reached(struct graph *g, uint32_t *stack)
{
	uint32_t depth = 0;

	g->blocks[0].is_reached = 1;
	stack[depth++] = 0;
	while (depth) {
		const struct block *b = &g->blocks[stack[--depth]];

		for (uint32_t k = 0; k < b->next_count; k++) {
			uint32_t next = g->nexts[b->next + k];

			if (!g->blocks[next].is_reached)
				stack[depth++] = next;
			g->blocks[next].is_reached = 1;
		}
	}
}

/* Blocks by which exit of a function they may be. */
enum rank { RANK_RETURN, RANK_GUARDED_RETURN, RANK_END, RANK_ANY, RANKS };

static enum rank rank_of(const struct graph *g, uint32_t b)
{
	const struct sc_instruction *in;

	if (b + 1 == g->count)
		return RANK_RETURN;
	in = &g->f->code.items[g->blocks[b + 1].first - 1];
	if (is_return(in))
		return in->guard ? RANK_GUARDED_RETURN : RANK_RETURN;
	return ends(g, in) ? RANK_END : RANK_ANY;
}

/* An exit, for all blocks that lead to it and to none before. */
static void take_exit(struct graph *g, uint32_t b, uint32_t number, uint32_t *stack)
{
	uint32_t depth = 0;

	g->blocks[b].exit = number;
	stack[depth++] = b;
	while (depth) {
		const struct block *to = &g->blocks[stack[--depth]];

		for (uint32_t k = 0; k < to->before_count; k++) {
			uint32_t from = g->links[to->before + k];

			if (!g->blocks[from].exit)
				stack[depth++] = from;
			if (!g->blocks[from].exit)
				g->blocks[from].exit = number;
		}
	}
}

/* Leaves of a block's successors those with the same exit. */
static void keep_way(struct graph *g, struct block *b)
{
	uint32_t count = b->next_count;

	b->next_count = 0;
	for (uint32_t k = 0; k < count; k++) {
		uint32_t next = g->nexts[b->next + k];

		if (g->blocks[next].exit == b->exit)
			g->nexts[b->next + b->next_count++] = next;
	}
}

/* Chooses the exits and links them to the end, each block to what leads to its exit. */
static void choose_exits(struct graph *g, uint32_t *stack)
{
	uint32_t number = 0, end = g->count - 1;
	bool *is_exit = (bool *)calloc(g->count, sizeof(*is_exit));

	for (enum rank rank = 0; is_exit && rank < RANKS; rank++)
		for (uint32_t b = g->count; b-- > 0;) {
			if (!g->blocks[b].is_reached || g->blocks[b].exit || rank_of(g, b) != rank)
				continue;
			take_exit(g, b, ++number, stack);
			is_exit[b] = b != end;
		}
	for (uint32_t b = 0; b < g->count; b++)
		keep_way(g, &g->blocks[b]);
	for (uint32_t b = 0; is_exit && b < end; b++)
		if (is_exit[b])
			link_to(g, &g->blocks[b], end);
	free(is_exit);
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

	for (uint32_t k = 0; k < g->blocks[b].next_count; k++) {
		uint32_t next = g->nexts[g->blocks[b].next + k];

		if (g->blocks[next].after == NONE)
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

	return g->f->is_kernel && ends(g, in) && !in->guard;
}

static void note_joins(const struct graph *g, struct exec_flow *flow)
{
	uint32_t end = g->count - 1;

	for (uint32_t b = 0; b < end; b++) {
		uint32_t last = g->blocks[b + 1].first - 1, after = g->blocks[b].after;

		flow->join[last] = NONE;
		if (after == NONE || after == end || g->blocks[b].ways < 2 || only_exits(g, after))
			continue;
		flow->join[last] = g->blocks[after].first;
		flow->is_join[g->blocks[after].first] = 1;
	}
}

/* Lanes that a call leaves out, or that call another function, meet the others after it. */
static void note_calls(const struct sc_function *f, struct exec_flow *flow)
{
	uint32_t n = (uint32_t)f->code.count;

	for (uint32_t i = 0; i < n; i++) {
		if (f->code.items[i].opcode != SC_PTX_CALL)
			continue;
		flow->join[i] = i + 1 < n ? i + 1 : NONE;
		flow->is_join[i + 1] |= i + 1 < n;
	}
}

/* Targets of all branches, a list's for each branch by it. */
static size_t count_targets(const struct sc_function *f)
{
	size_t count = 0;

	for (size_t i = 0; i < f->code.count; i++)
		if (is_branch(&f->code.items[i]))
			count += exec_flow_target_count(f, &f->code.items[i]);
	return count;
}

bool exec_flow_make(struct exec_flow *flow, const struct sc_ptx *m, const struct sc_function *f)
{
	size_t n = f->code.count, links = count_targets(f) + 2 * n + 4;
	struct graph g = {.m = m, .f = f};
	bool *leads = calloc(n + 2, sizeof(*leads)), ok = 0;
	uint32_t *stack = calloc(n + 2, sizeof(*stack)), *seen = calloc(n + 2, sizeof(*seen));

	g.blocks = calloc(n + 2, sizeof(*g.blocks));
	g.block_of = calloc(n + 2, sizeof(*g.block_of));
	g.nexts = calloc(links, sizeof(*g.nexts));
	g.links = calloc(links, sizeof(*g.links));
	g.order = calloc(n + 2, sizeof(*g.order));
	flow->join = calloc(n + 2, sizeof(*flow->join));
	flow->is_join = calloc(n + 2, sizeof(*flow->is_join));
	if (leads && stack && seen && g.blocks && g.block_of && g.nexts && g.links && g.order &&
	    flow->join && flow->is_join && n && n < UINT32_MAX / 4 && links < (size_t)1 << 24)
		ok = mark_leaders(&g, leads);
	if (ok) {
		make_blocks(&g, leads);
		link_blocks(&g);
		link_back(&g);
		mark_reached(&g, stack);
		choose_exits(&g, stack);
		link_back(&g);
		number_blocks(&g, stack, seen);
		find_after(&g);
		note_joins(&g, flow);
		note_calls(f, flow);
	}
	free(leads);
	free(stack);
	free(seen);
	free(g.blocks);
	free(g.block_of);
	free(g.nexts);
	free(g.links);
	free(g.order);
	return ok;
}

void exec_flow_fini(struct exec_flow *flow)
{
	free(flow->join);
	free(flow->is_join);
}
