/* Where the ways after a branch meet again: immediate post-dominators, over the blocks from which
 * a thread can end. Naive form: of each block the blocks that are on all ways from it to the end,
 * and of these the next one. Here the tree is built as that of dominators usually is, bottom up. */
#include <stdbool.h>
#include <stdlib.h>

#include "footprint/walk.h"
#include "base/heap.h"

#define END(w) ((uint32_t)(w)->k->flow.blocks.count) /* stands after all blocks */

static const struct sc_flow_edge *edge_at(const struct sc_walk *w, uint32_t i)
{
	return &w->k->flow.edges.items[i];
}

/* Blocks from which an end can be reached; others trap, or never end. */
static void find_returns(struct sc_walk *w)
{
	bool is_new = 1;

	for (uint32_t i = 0; i < END(w); i++)
		w->returns[i] = w->k->flow.blocks.items[i].leaves;
	while (is_new && sc_walk_spend(w, END(w))) {
		is_new = 0;
		for (uint32_t i = END(w); i-- > 0;) {
			const struct sc_block *b = &w->k->flow.blocks.items[i];

			for (uint32_t e = 0; !w->returns[i] && e < b->succ_count; e++)
				if (w->returns[edge_at(w, b->succ_first + e)->to])
					w->returns[i] = is_new = 1;
		}
	}
}

struct tree {
	uint32_t *meets; /* borrowed */
	uint32_t *rank;	 /* owned: in postorder from the end; the end itself is last */
	uint32_t *order; /* owned: by rank */
	uint32_t count;
};

/* Ranks the blocks by a walk against the edges, from all that leave. */
static void rank_blocks(struct sc_walk *w, struct tree *t)
{
	const struct sc_flow *f = &w->k->flow;
	uint32_t *stack = sc_heap_xcalloc((size_t)END(w) + 1, sizeof(*stack));
	uint32_t *next = sc_heap_xcalloc((size_t)END(w) + 1, sizeof(*next));
	bool *seen = sc_heap_xcalloc((size_t)END(w) + 1, sizeof(*seen));

	for (uint32_t root = 0; root < END(w); root++) {
		uint32_t depth = 0;

		if (!f->blocks.items[root].leaves || seen[root])
			continue;
		seen[root] = 1;
		stack[depth++] = root;
		while (depth) {
			uint32_t at = stack[depth - 1], from;

			if (next[at] == f->blocks.items[at].pred_count) {
				t->rank[at] = t->count;
				t->order[t->count++] = at;
				depth--;
				continue;
			}
			from = edge_at(w,
				       f->pred_edges
					       .items[f->blocks.items[at].pred_first + next[at]++])
				       ->from;
			if (!seen[from]) {
				seen[from] = 1;
				stack[depth++] = from;
			}
		}
	}
	t->rank[END(w)] = t->count;
	free(stack);
	free(next);
	free(seen);
}

static uint32_t common(struct sc_walk *w, const struct tree *t, uint32_t x, uint32_t y)
{
	while (x != y) {
		for (; t->rank[x] < t->rank[y]; x = t->meets[x])
			sc_walk_spend(w, 1);
		for (; t->rank[y] < t->rank[x]; y = t->meets[y])
			sc_walk_spend(w, 1);
	}
	return x;
}

/* The nearest block that all ways from the block pass, as far as is known. */
static uint32_t meet_of(struct sc_walk *w, const struct tree *t, uint32_t block)
{
	const struct sc_block *b = &w->k->flow.blocks.items[block];
	uint32_t meet = b->leaves ? END(w) : SC_FLOW_NONE;

	for (uint32_t e = b->succ_first; e < b->succ_first + b->succ_count; e++) {
		uint32_t to = edge_at(w, e)->to;

		if (!w->returns[to] || t->meets[to] == SC_FLOW_NONE)
			continue;
		meet = meet == SC_FLOW_NONE ? to : common(w, t, meet, to);
	}
	return meet;
}

bool sc_walk_find_meets(struct sc_walk *w)
{
	struct tree t = {.meets = w->meets};
	bool is_new = 1;

	t.rank = sc_heap_xcalloc((size_t)END(w) + 1, sizeof(*t.rank));
	t.order = sc_heap_xcalloc((size_t)END(w) + 1, sizeof(*t.order));
	find_returns(w);
	rank_blocks(w, &t);
	for (uint32_t i = 0; i < END(w); i++)
		w->meets[i] = SC_FLOW_NONE;
	w->meets[END(w)] = END(w);
	while (is_new && sc_walk_spend(w, t.count)) {
		is_new = 0;
		for (uint32_t i = t.count; i-- > 0;) {
			uint32_t block = t.order[i], meet = meet_of(w, &t, block);

			is_new |= meet != w->meets[block];
			w->meets[block] = meet;
		}
	}
	free(t.rank);
	free(t.order);
	return !is_new;
}
