/* Guards: under which conditions does a block run, once per iteration of each loop around it? */
#include "footprint/guard.h"

#include <stdbool.h>
#include <string.h>

#include "base/heap.h"

#define LEAVE (UINT32_MAX - 1) /* the end of an iteration, or of the thread */
#define TOP   UINT32_MAX       /* no way to the end */
#define STEPS 4000000	       /* of work for one kernel */
#define COVER 8		       /* steps that comparing two terms costs */

struct maker {
	struct sc_guards *s;
	const struct sc_flow *flow;
	const struct sc_value_graph *g;
	uint32_t *after; /* immediate postdominator within the level being worked on */
	bool *traps;	 /* of each block: no way leads to an orderly end */
	uint32_t level;	 /* loop, or SC_FLOW_NONE */
	uint32_t steps;	 /* left; without, blocks follow nothing, and paths are those around */
};

/* A disjunction being put together. */
struct draft {
	struct sc_term terms[SC_GUARD_TERMS];
	uint32_t count;
	uint8_t reason;
	bool overflow;
};

static bool spend(struct maker *k, uint32_t steps)
{
	k->steps -= steps < k->steps ? steps : k->steps;
	return k->steps != 0;
}

static uint32_t meet(struct maker *k, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (!spend(k, 1))
			return LEAVE;
		if (a < b)
			a = a == TOP ? b : k->after[a];
		else
			b = b == TOP ? a : k->after[b];
	}
	return a;
}

/* Where an edge leads within the level; TOP: nowhere that counts. */
static uint32_t edge_target(const struct maker *k, const struct sc_flow_edge *edge)
{
	if (edge->is_back)
		return k->level != SC_FLOW_NONE && edge->to == k->flow->loops.items[k->level].header
			       ? LEAVE
			       : TOP;
	if (!sc_flow_in_loop(k->flow, edge->to, k->level))
		return k->traps[edge->to] ? TOP : LEAVE;
	return k->after[edge->to] == TOP ? TOP : edge->to;
}

static uint32_t find_after(struct maker *k, uint32_t b)
{
	const struct sc_block *block = &k->flow->blocks.items[b];
	uint32_t after = block->leaves ? LEAVE : TOP;

	for (uint32_t e = 0; e < block->succ_count; e++) {
		uint32_t to = edge_target(k, &k->flow->edges.items[block->succ_first + e]);

		if (to != TOP)
			after = after == TOP ? to : meet(k, after, to);
	}
	return after;
}

static bool always_follows(struct maker *k, uint32_t d, uint32_t b)
{
	while (d < b && spend(k, 1))
		d = k->after[d];
	return d == b;
}

/* The loop directly inside the level that contains block b. */
static uint32_t child_loop(const struct maker *k, uint32_t b)
{
	uint32_t loop = k->flow->blocks.items[b].loop;

	while (k->flow->loops.items[loop].parent != k->level)
		loop = k->flow->loops.items[loop].parent;
	return loop;
}

static struct sc_path path_at_level(const struct maker *k, uint32_t b)
{
	if (k->flow->blocks.items[b].loop == k->level)
		return k->s->blocks[b];
	return k->s->loops[child_loop(k, b)];
}

static uint32_t block_at_level(const struct maker *k, uint32_t b)
{
	if (k->flow->blocks.items[b].loop == k->level)
		return b;
	return k->flow->loops.items[child_loop(k, b)].header;
}

bool sc_guards_edge(const struct sc_value_graph *g, const struct sc_flow_edge *edge,
		    struct sc_literal *out)
{
	out->node = g->conditions.items[edge->from];
	out->negated = g->negated.items[edge->from] ^ (edge->kind == SC_EDGE_NOT_TAKEN);
	if (!out->node || (edge->kind != SC_EDGE_TAKEN && edge->kind != SC_EDGE_NOT_TAKEN))
		return 0;
	while (g->nodes.items[out->node].op == SC_NODE_NOT) {
		out->node = g->nodes.items[out->node].a;
		out->negated ^= 1;
	}
	return 1;
}

/* Index of a literal on that node, or the count. */
static uint32_t find_literal(const struct sc_term *t, uint32_t node)
{
	uint32_t i = 0;

	while (i < t->count && t->literals[i].node != node)
		i++;
	return i;
}

/* Adds a literal; false if the term has become impossible. */
static bool add_literal(struct draft *d, struct sc_term *t, struct sc_literal literal)
{
	uint32_t at = find_literal(t, literal.node);

	if (at < t->count)
		return t->literals[at].negated == literal.negated;
	if (t->count == SC_GUARD_LITERALS)
		d->overflow = 1;
	else
		t->literals[t->count++] = literal;
	return 1;
}

/* True if every literal of `weak` is in `strong`, except perhaps one that is there inverted,
 * whose index goes to *inverted (else the count of `weak`). */
static bool covers(const struct sc_term *weak, const struct sc_term *strong, uint32_t *inverted)
{
	*inverted = weak->count;
	for (uint32_t i = 0; i < weak->count; i++) {
		uint32_t at = find_literal(strong, weak->literals[i].node);

		if (at == strong->count)
			return 0;
		if (strong->literals[at].negated == weak->literals[i].negated)
			continue;
		if (*inverted != weak->count)
			return 0;
		*inverted = i;
	}
	return 1;
}

static void remove_literal(struct sc_term *t, uint32_t node)
{
	uint32_t at = find_literal(t, node);

	t->literals[at] = t->literals[--t->count];
}

/* Adds a term: a ∨ (a ∧ b) is a, a ∨ (¬a ∧ b) is a ∨ b, (a ∧ b) ∨ (¬a ∧ b) is b. */
static void add_term(struct draft *d, struct sc_term term)
{
	for (uint32_t i = 0; i < d->count; i++) {
		uint32_t inverted;

		if (covers(&d->terms[i], &term, &inverted)) {
			if (inverted == d->terms[i].count)
				return;
			remove_literal(&term, d->terms[i].literals[inverted].node);
			i = UINT32_MAX;
			continue;
		}
		if (covers(&term, &d->terms[i], &inverted)) {
			struct sc_term other = d->terms[i];

			if (inverted != term.count)
				remove_literal(&other, term.literals[inverted].node);
			d->terms[i] = d->terms[--d->count];
			if (inverted != term.count)
				add_term(d, other);
			i = UINT32_MAX;
		}
	}
	if (d->count == SC_GUARD_TERMS)
		d->overflow = 1;
	else
		d->terms[d->count++] = term;
}

static void add_path(const struct maker *k, struct draft *d, const struct sc_path *path,
		     const struct sc_literal *literal)
{
	d->reason = d->reason ? d->reason : path->reason;
	for (uint32_t i = 0; i < path->count; i++) {
		struct sc_term term = k->s->terms.items[path->first + i];

		if (!literal || add_literal(d, &term, *literal))
			add_term(d, term);
	}
}

static struct sc_path save(const struct maker *k, const struct draft *d)
{
	struct sc_path path = {
		.first = (uint32_t)k->s->terms.count, .count = d->count, .reason = d->reason};

	for (uint32_t i = 0; i < d->count; i++)
		sc_vector_push(&k->s->terms, d->terms[i]);
	return path;
}

static void add_edge_path(const struct maker *k, struct draft *d, const struct sc_flow_edge *edge)
{
	struct sc_path path = path_at_level(k, edge->from);
	struct sc_literal literal;

	if (k->flow->blocks.items[edge->from].loop != k->level) {
		path.reason = path.reason ? path.reason : SC_REASON_CONDITION;
		add_path(k, d, &path, NULL);
	} else if (sc_guards_edge(k->g, edge, &literal)) {
		add_path(k, d, &path, &literal);
	} else {
		if (edge->kind != SC_EDGE_ALWAYS && !path.reason)
			path.reason = SC_REASON_CONDITION;
		add_path(k, d, &path, NULL);
	}
}

static struct sc_path find_path(struct maker *k, uint32_t b)
{
	const struct sc_block *block = &k->flow->blocks.items[b];
	uint32_t dominator = block_at_level(k, block->dominator);
	struct sc_path path = path_at_level(k, block->dominator);
	struct draft d = {0};

	if (always_follows(k, dominator, b))
		return path;
	for (uint32_t e = 0; e < block->pred_count && !d.overflow; e++) {
		const struct sc_flow_edge *edge =
			&k->flow->edges.items[k->flow->pred_edges.items[block->pred_first + e]];

		if (!spend(k, COVER * (1 + d.count * SC_GUARD_TERMS)))
			break;
		if (!edge->is_back)
			add_edge_path(k, &d, edge);
	}
	if (!d.overflow && k->steps)
		return save(k, &d);
	if (!path.reason)
		path.reason = k->steps ? SC_REASON_CONDITION : SC_REASON_BUDGET;
	return path;
}

static struct sc_path always(const struct maker *k)
{
	struct draft d = {.count = 1};

	return save(k, &d);
}

/* Works out all paths relative to one loop, or to the kernel. */
static void make_level(struct maker *k, uint32_t level)
{
	uint32_t first = level == SC_FLOW_NONE ? 0 : k->flow->loops.items[level].header;
	uint32_t count = level == SC_FLOW_NONE ? (uint32_t)k->flow->blocks.count
					       : k->flow->loops.items[level].end;

	k->level = level;
	for (uint32_t b = count; b-- > first;)
		if (sc_flow_in_loop(k->flow, b, level))
			k->after[b] = find_after(k, b);
	if (level == SC_FLOW_NONE)
		for (uint32_t b = 0; b < count; b++)
			k->traps[b] = k->after[b] == TOP;
	for (uint32_t b = first; b < count; b++) {
		uint32_t loop = k->flow->blocks.items[b].loop;

		if (loop == level)
			k->s->blocks[b] = b == first ? always(k) : find_path(k, b);
		else if (loop != SC_FLOW_NONE && k->flow->loops.items[loop].header == b &&
			 k->flow->loops.items[loop].parent == level)
			k->s->loops[loop] = find_path(k, b);
	}
}

static bool dominates_latches(const struct maker *k, uint32_t b, uint32_t header)
{
	const struct sc_block *h = &k->flow->blocks.items[header];

	for (uint32_t e = 0; e < h->pred_count; e++) {
		const struct sc_flow_edge *edge =
			&k->flow->edges.items[k->flow->pred_edges.items[h->pred_first + e]];

		if (edge->is_back && !sc_flow_dominates(k->flow, b, edge->from))
			return 0;
	}
	return 1;
}

/* Adds what block b says about staying in the loop: a test, or the reason why it is unclear. */
static void add_stay(const struct maker *k, struct sc_stay *stay, uint32_t loop, uint32_t b)
{
	const struct sc_block *block = &k->flow->blocks.items[b];
	const struct sc_flow_edge *inside = NULL;
	bool leaves = block->leaves;
	struct sc_literal literal;

	for (uint32_t e = 0; e < block->succ_count; e++) {
		const struct sc_flow_edge *edge = &k->flow->edges.items[block->succ_first + e];

		if (sc_flow_in_loop(k->flow, edge->to, loop))
			inside = edge;
		else if (!k->traps[edge->to])
			leaves = ++stay->exits;
	}
	stay->exits += block->leaves;
	if (!leaves)
		return;
	if (inside && block->loop == loop && stay->count < SC_GUARD_TESTS &&
	    dominates_latches(k, b, k->flow->loops.items[loop].header) &&
	    sc_guards_edge(k->g, inside, &literal))
		stay->tests[stay->count++] = literal;
	else if (block->loop == loop || !stay->reason)
		stay->reason = SC_REASON_LOOP;
}

void sc_guards_make(struct sc_guards *s, const struct sc_flow *flow, const struct sc_value_graph *g)
{
	struct maker k = {.s = s, .flow = flow, .g = g, .steps = STEPS};

	memset(s, 0, sizeof(*s));
	s->blocks = sc_heap_xcalloc(flow->blocks.count + 1, sizeof(*s->blocks));
	s->loops = sc_heap_xcalloc(flow->loops.count + 1, sizeof(*s->loops));
	s->stays = sc_heap_xcalloc(flow->loops.count + 1, sizeof(*s->stays));
	k.after = sc_heap_xcalloc(flow->blocks.count + 1, sizeof(*k.after));
	k.traps = sc_heap_xcalloc(flow->blocks.count + 1, sizeof(*k.traps));
	make_level(&k, SC_FLOW_NONE);
	for (uint32_t i = 0; i < flow->loops.count; i++) {
		make_level(&k, i);
		for (uint32_t b = flow->loops.items[i].header; b < flow->loops.items[i].end; b++)
			if (sc_flow_in_loop(flow, b, i))
				add_stay(&k, &s->stays[i], i, b);
	}
	s->steps = STEPS - k.steps;
	free(k.after);
	free(k.traps);
}

void sc_guards_fini(struct sc_guards *s)
{
	sc_vector_fini(&s->terms);
	free(s->blocks);
	free(s->loops);
	free(s->stays);
}
