/* Walks: threads of a launch taken one by one. */
#include "footprint/walk.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

#define BLOCKS	 4096 /* of the kernel; more are not walked */
#define SPANS	 (1 << 20)
#define FARTHEST (UINT64_C(1) << 46) /* from its pointer */
#define END(w)	 ((uint32_t)(w)->k->flow.blocks.count)

static const struct sc_value_node *node_at(const struct sc_walk *w, uint32_t node)
{
	return &w->k->graph.nodes.items[node];
}

static const struct sc_flow_edge *edge_at(const struct sc_walk *w, uint32_t i)
{
	return &w->k->flow.edges.items[i];
}

/* ---- one thread ---- */

static struct sc_value value_of(const struct sc_walk *w, uint32_t node)
{
	return w->slots[node] ? w->values[w->slots[node] - 1] : sc_value_of(w, node);
}

/* The number of an operand of a site; false if it is not known. */
static bool read_number(const struct sc_walk *w, uint32_t node, uint64_t *out)
{
	struct sc_value v = value_of(w, node);

	*out = v.number;
	return v.kind == SC_VALUE_NUMBER;
}

/* Bytes of each row, rows, and from row to row; false if something of it is not known. */
static bool read_shape(const struct sc_walk *w, const struct sc_memory_site *s, uint64_t *width,
		       int64_t *pitch)
{
	uint64_t elements = 0;

	*width = s->width;
	*pitch = 0;
	if (s->size && !read_number(w, s->size, width))
		return 0;
	if (s->rows > 1 && !read_number(w, s->pitch, &elements))
		return 0;
	*pitch = (int64_t)(int32_t)elements * s->pitch_bytes;
	return *width <= INT32_MAX && elements == (uint32_t)elements;
}

/* All addresses of a site must have one base. */
static bool take_base(struct sc_walk_site *site, const struct sc_value *address)
{
	if (!site->has_base) {
		site->has_base = 1;
		site->kind = address->kind;
		site->base = address->base;
	}
	return site->kind == address->kind && site->base == address->base;
}

static bool is_far(uint64_t offset)
{
	return offset + FARTHEST > 2 * FARTHEST;
}

/* Notes what the thread touches at a site; false if no more can be kept. */
static bool touch(struct sc_walk *w, struct sc_walk_site *site, bool is_sure)
{
	const struct sc_memory_site *s = &w->k->graph.sites.items[site->site];
	struct sc_value guard = {0}, address = value_of(w, s->address);
	struct sc_byte_set *to;
	uint64_t width;
	int64_t pitch;

	if (s->guard) {
		guard = value_of(w, s->guard);
		if (guard.kind == SC_VALUE_NUMBER && !guard.number == !s->guard_negated)
			return 1;
		is_sure = is_sure && guard.kind == SC_VALUE_NUMBER;
	}
	if (address.kind == SC_VALUE_PRIVATE)
		return 1;
	if (address.kind <= SC_VALUE_NUMBER || !read_shape(w, s, &width, &pitch) ||
	    !take_base(site, &address) || is_far(address.number)) {
		site->is_lost = 1;
		return 1;
	}
	to = is_sure ? &site->must : &site->may;
	for (uint32_t row = 0; width && row < s->rows; row++) {
		int64_t first = (int64_t)address.number + row * pitch;

		if (!sc_byte_set_add(to, first, first + (int64_t)width, &w->room))
			return 0;
	}
	return sc_walk_spend(w, s->rows);
}

/* What the block computes and touches. */
static bool run_block(struct sc_walk *w, uint32_t block, bool is_sure)
{
	uint32_t first = w->block_nodes.items[block], end = w->block_nodes.items[block + 1];

	if (!sc_walk_spend(w, end - first + 1))
		return 0;
	for (uint32_t i = first; i < end; i++) {
		uint32_t node = w->nodes.items[i];

		if (node_at(w, node)->op != SC_NODE_PHI)
			w->values[w->slots[node] - 1] = sc_value_of(w, node);
	}
	for (uint32_t i = w->block_sites.items[block]; i < w->block_sites.items[block + 1]; i++)
		if (!w->sites->items[i].is_lost && !touch(w, &w->sites->items[i], is_sure))
			return 0;
	return 1;
}

/* Goes along an edge: all phis after it change at once. */
static void pass_edge(struct sc_walk *w, uint32_t edge)
{
	const struct sc_block *to = &w->k->flow.blocks.items[edge_at(w, edge)->to];
	uint32_t block = edge_at(w, edge)->to, first = w->block_nodes.items[block], way = 0;
	uint32_t end = w->block_nodes.items[block + 1], phis = 0;
	struct sc_value next[64];

	while (way < to->pred_count && w->k->flow.pred_edges.items[to->pred_first + way] != edge)
		way++;
	for (uint32_t i = first; i < end; i++) {
		const struct sc_value_node *n = node_at(w, w->nodes.items[i]);

		if (n->op != SC_NODE_PHI)
			break;
		if (phis < 64)
			next[phis] = way < n->b
					     ? value_of(w, w->k->graph.phi_args.items[n->a + way])
					     : (struct sc_value){0};
		phis++;
	}
	for (uint32_t i = 0; i < phis; i++)
		w->values[w->slots[w->nodes.items[first + i]] - 1] =
			// cppcheck-suppress uninitvar ; the loop above set the first `phis`
			i < 64 ? next[i] : (struct sc_value){0};
	(void)sc_walk_spend(w, phis);
}

/* Whether the way of an edge is taken: 1, 0, or -1 if that is not known. */
static int is_taken(const struct sc_walk *w, const struct sc_flow_edge *edge)
{
	uint32_t condition = w->k->graph.conditions.items[edge->from];
	struct sc_value v;
	bool holds;

	if (edge->kind == SC_EDGE_ALWAYS)
		return 1;
	if (edge->kind == SC_EDGE_MANY || !condition)
		return -1;
	v = value_of(w, condition);
	if (v.kind != SC_VALUE_NUMBER)
		return -1;
	holds = !v.number == w->k->graph.negated.items[edge->from];
	return holds == (edge->kind == SC_EDGE_TAKEN);
}

/* The ways after a block: the number of edges that may be taken, the last of them, and whether the
 * thread may end there instead. Ways that only trap, or never end, do not count. */
static uint32_t find_ways(const struct sc_walk *w, uint32_t block, uint32_t *edge)
{
	const struct sc_block *b = &w->k->flow.blocks.items[block];
	uint32_t ways = 0;

	for (uint32_t e = b->succ_first; e < b->succ_first + b->succ_count; e++) {
		if (!is_taken(w, edge_at(w, e)) || !w->returns[edge_at(w, e)->to])
			continue;
		ways++;
		*edge = e;
	}
	return ways;
}

/* Whether a block that may end the thread does: 1, 0, or -1 if that is not known. */
static int is_end(const struct sc_walk *w, uint32_t block)
{
	const struct sc_block *b = &w->k->flow.blocks.items[block];
	struct sc_flow_edge as_if = {.from = block, .kind = SC_EDGE_TAKEN};
	uint16_t last = w->k->flat.f.code.items[b->end - 1].opcode;

	if (!b->leaves)
		return 0;
	if (!b->succ_count)
		return 1;
	return last == SC_PTX_RET || last == SC_PTX_EXIT ? is_taken(w, &as_if) : -1;
}

static int by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a > b) - (a < b);
}

enum arrival { GAVE_UP, ENDED, ARRIVED };

static enum arrival run(struct sc_walk *w, uint32_t block, uint32_t stop, unsigned depth);

/* Values that differ between two ways become unknown where the ways meet. */
static void merge(struct sc_walk *w, struct sc_value *all)
{
	for (uint32_t i = 0; i < w->count; i++)
		if (!sc_value_is_same(&all[i], &w->values[i]))
			all[i] = (struct sc_value){0};
}

/* Marks the blocks on the ways from a block to where they meet; returns how many there are. */
static uint32_t mark_region(struct sc_walk *w, uint32_t block)
{
	uint32_t count = 0, at = block;

	w->stamp++;
	for (uint32_t done = 0;; at = w->stack[done++]) {
		const struct sc_block *b = &w->k->flow.blocks.items[at];

		for (uint32_t e = b->succ_first; e < b->succ_first + b->succ_count; e++) {
			uint32_t to = edge_at(w, e)->to;

			if (to == w->meets[block] || !w->returns[to] || w->stamps[to] == w->stamp)
				continue;
			w->stamps[to] = w->stamp;
			w->stack[count++] = to;
		}
		if (done == count)
			return count;
	}
}

/* Values that are not the same in all iterations become unknown. */
static void forget_phis(struct sc_walk *w, uint32_t block, bool is_meet)
{
	for (uint32_t i = w->block_nodes.items[block]; i < w->block_nodes.items[block + 1]; i++) {
		const struct sc_value_node *n = node_at(w, w->nodes.items[i]);
		struct sc_value all = {0};

		if (n->op != SC_NODE_PHI)
			return;
		for (uint32_t k = 0; is_meet && k < n->b; k++) {
			struct sc_value one = value_of(w, w->k->graph.phi_args.items[n->a + k]);

			all = !k || sc_value_is_same(&all, &one) ? one : (struct sc_value){0};
			if (!all.kind)
				break;
		}
		w->values[w->slots[w->nodes.items[i]] - 1] = all;
	}
}

/* Goes to where the ways from a block meet as if every block between had run any number of times.
 */
static enum arrival skip(struct sc_walk *w, uint32_t block)
{
	uint32_t count = mark_region(w, block), meet = w->meets[block];

	for (uint32_t i = 0; i < count; i++)
		forget_phis(w, w->stack[i], 0);
	if (count > 1)
		qsort(w->stack, count, sizeof(*w->stack), by_number);
	for (uint32_t i = 0; i < count; i++)
		if (!run_block(w, w->stack[i], 0))
			return GAVE_UP;
	if (meet >= END(w))
		return ENDED;
	forget_phis(w, meet, 1);
	return ARRIVED;
}

/* Room for the values of one depth twice. It is used again: threads part often. */
static struct sc_value *kept_at(struct sc_walk *w, unsigned depth)
{
	if (!w->kept[depth])
		w->kept[depth] = sc_heap_xcalloc(w->count * (size_t)2 + 1, sizeof(**w->kept));
	return w->kept[depth];
}

/* Walks all ways from a block to where they meet, and leaves there what they agree on. */
static enum arrival run_ways(struct sc_walk *w, uint32_t block, unsigned depth)
{
	const struct sc_block *b = &w->k->flow.blocks.items[block];
	size_t bytes = w->count * sizeof(struct sc_value);
	struct sc_value *before, *after;
	enum arrival all = ENDED;
	bool has_walked = 0;

	w->skips[block] |= depth == SC_WALK_DEPTH;
	if (w->skips[block])
		return skip(w, block);
	before = kept_at(w, depth);
	after = before + w->count;
	memcpy(before, w->values, bytes);
	for (uint32_t e = b->succ_first; all && e < b->succ_first + b->succ_count; e++) {
		enum arrival one;

		if (has_walked)
			memcpy(w->values, before, bytes);
		has_walked = 0;
		if (!is_taken(w, edge_at(w, e)) || !w->returns[edge_at(w, e)->to])
			continue;
		has_walked = 1;
		pass_edge(w, e);
		one = sc_walk_spend(w, w->count / 2)
			      ? run(w, edge_at(w, e)->to, w->meets[block], depth + 1)
			      : GAVE_UP;
		if (one == ARRIVED && all == ARRIVED)
			merge(w, after);
		else if (one == ARRIVED)
			memcpy(after, w->values, bytes);
		all = one == ENDED ? all : one;
	}
	if (all == ARRIVED)
		memcpy(w->values, after, bytes);
	return all;
}

/* Walks on from a block until the thread ends, or comes to `stop`; with a depth what is touched is
 * not sure to be. */
static enum arrival run(struct sc_walk *w, uint32_t block, uint32_t stop, unsigned depth)
{
	while (block != stop) {
		uint32_t edge = 0, ways;
		int ends;

		if (!run_block(w, block, !depth))
			return GAVE_UP;
		ends = is_end(w, block);
		ways = ends > 0 ? 0 : find_ways(w, block, &edge);
		if (!ways)
			return ENDED;
		if (ways == 1 && !ends) {
			pass_edge(w, edge);
			block = edge_at(w, edge)->to;
			continue;
		}
		switch (run_ways(w, block, depth)) {
		case GAVE_UP: return GAVE_UP;
		case ENDED: return ENDED;
		case ARRIVED: break;
		}
		block = w->meets[block];
	}
	return ARRIVED;
}

/* ---- all threads ---- */

static bool next_thread(struct sc_walk *w)
{
	for (unsigned i = 0; i < 6; i++) {
		uint32_t size = i < 3 ? w->launch->block[i] : w->launch->grid[i - 3];

		if (++w->thread[i] < size)
			return 1;
		w->thread[i] = 0;
	}
	return 0;
}

static bool are_all_lost(const struct sc_walk *w)
{
	for (size_t i = 0; i < w->sites->count; i++)
		if (!w->sites->items[i].is_lost)
			return 0;
	return 1;
}

/* The steps that it takes to begin with a thread. */
static uint32_t thread_steps(const struct sc_walk *w)
{
	return w->count / 8 + 1;
}

/* Whether the first block of all threads is not too much. */
static bool is_affordable(const struct sc_walk *w)
{
	unsigned __int128 threads = 1;

	for (unsigned i = 0; i < 3; i++)
		threads *= (uint64_t)w->launch->block[i] * w->launch->grid[i];
	return threads * (w->block_nodes.items[1] + thread_steps(w)) < w->steps;
}

/* What never ends, or traps, is not walked to its end. */
static void lose_endless(struct sc_walk *w)
{
	for (size_t i = 0; i < w->sites->count; i++) {
		struct sc_walk_site *s = &w->sites->items[i];

		s->is_lost |= !w->returns[w->k->graph.sites.items[s->site].block];
	}
}

static bool walk_all(struct sc_walk *w)
{
	lose_endless(w);
	if (!is_affordable(w) || are_all_lost(w))
		return 0;
	do {
		memset(w->values, 0, w->count * sizeof(*w->values));
		if (!sc_walk_spend(w, thread_steps(w)) || run(w, 0, SC_FLOW_NONE, 0) == GAVE_UP ||
		    are_all_lost(w))
			return 0;
	} while (next_thread(w));
	return 1;
}

static void walk_fini(struct sc_walk *w)
{
	free(w->slots);
	free(w->meets);
	free(w->returns);
	free(w->skips);
	free(w->stamps);
	free(w->stack);
	for (unsigned i = 0; i < SC_WALK_DEPTH; i++)
		free(w->kept[i]);
	sc_vector_fini(&w->nodes);
	sc_vector_fini(&w->block_nodes);
	sc_vector_fini(&w->block_sites);
	free(w);
}

bool sc_walk_launch(struct sc_footprint_kernel *k, const struct sc_footprint_launch *launch,
		    sc_walk_sites *sites, uint64_t *budget)
{
	size_t nodes = k->graph.nodes.count, blocks = k->flow.blocks.count;
	struct sc_walk *w;
	bool ok = 0;

	if (!sites->count || !blocks || blocks > BLOCKS || *budget <= nodes + blocks)
		return 0;
	w = sc_heap_xcalloc(1, sizeof(*w));
	w->k = k;
	w->launch = launch;
	w->sites = sites;
	w->room = SPANS;
	w->steps = *budget - nodes - blocks;
	w->slots = sc_heap_xcalloc(nodes, sizeof(*w->slots));
	w->meets = sc_heap_xcalloc(blocks + 1, sizeof(*w->meets));
	w->returns = sc_heap_xcalloc(blocks + 1, sizeof(*w->returns));
	w->skips = sc_heap_xcalloc(blocks + 1, sizeof(*w->skips));
	w->stamps = sc_heap_xcalloc(blocks + 1, sizeof(*w->stamps));
	w->stack = sc_heap_xcalloc(blocks + 1, sizeof(*w->stack));
	if (sc_walk_plan(w)) {
		ok = sc_walk_find_meets(w) && walk_all(w);
	}
	*budget = w->steps;
	walk_fini(w);
	return ok;
}

void sc_walk_sites_fini(sc_walk_sites *sites)
{
	for (size_t i = 0; i < sites->count; i++) {
		sc_byte_set_fini(&sites->items[i].must);
		sc_byte_set_fini(&sites->items[i].may);
	}
	sc_vector_fini(sites);
}
