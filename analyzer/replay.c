/* Replay: collecting the uses of a graph's nodes, and seeing what changed since. */
#include "analyzer/replay.h"

#include <stdlib.h>
#include "base/heap.h"

/* ---- collecting ---- */

static uint32_t group_of(struct sc_replay *r, struct sc_allocation *a)
{
	uint64_t *place = sc_u64_map_get(&r->by_allocation, (uintptr_t)a);

	if (!*place) {
		sc_vector_push(&r->groups,
			       ((struct sc_replay_group){
				       .allocation = a,
				       .begun = a->sequence,
				       .home = {a->home.range.start, a->home.range.end},
				       .alias = {a->alias.range.start, a->alias.range.end},
				       .is_stale = 1}));
		*place = r->groups.count;
	}
	return (uint32_t)*place - 1;
}

/* A node that begins or ends memory uses all of it (G-13). */
static void collect_life(struct sc_memory_map *m, const struct sc_op *op, sc_uses *out)
{
	struct sc_use use = {0};
	uint64_t canonical;

	use.allocation = sc_memory_find(m, op->dst, &canonical);
	if (!use.allocation)
		return;
	use.shape =
		sc_shape_linear(use.allocation->home.range.start,
				use.allocation->home.range.end - use.allocation->home.range.start,
				SC_WRITE, SC_KNOWN_EXACT);
	sc_vector_push(out, use);
}

static void collect_node(const struct sc_graph_node *n, struct sc_memory_map *m,
			 struct sc_kernels *kernels, sc_uses *out)
{
	struct sc_record record = {.op = n->op,
				   .sequence = n->sequence,
				   .attachments = n->attachments,
				   .attachment_bytes = n->attachment_bytes};
	struct sc_step step = {.op = &record.op, .sequence = n->sequence, .is_enqueued = 1};

	if (n->op.kind == SC_OP_ALLOC_ASYNC || n->op.kind == SC_OP_FREE_ASYNC)
		collect_life(m, &n->op, out);
	else
		sc_access_collect(m, kernels, &record, &step, out);
}

static void add_node(struct sc_replay *r, uint32_t node, struct sc_memory_map *m,
		     struct sc_kernels *kernels, sc_uses *uses)
{
	const struct sc_graph_node *n = &r->graph->nodes.items[node];

	sc_vector_clear(uses);
	if (n->is_disabled)
		return;
	collect_node(n, m, kernels, uses);
	for (size_t i = 0; i < uses->count; i++) {
		struct sc_replay_use u = {.use = uses->items[i], .node = node};

		if (n->is_maybe && u.use.shape.known == SC_KNOWN_EXACT)
			u.use.shape.known = SC_KNOWN_OVER;
		u.group = group_of(r, u.use.allocation);
		r->groups.items[u.group].ways |= sc_replay_way(&u.use);
		sc_vector_push(&r->uses, u);
	}
}

struct sc_replay *sc_replay_new(struct sc_graph *g, struct sc_memory_map *m,
				struct sc_kernels *kernels)
{
	struct sc_replay *r = sc_heap_xcalloc(1, sizeof(*r));
	sc_uses uses = {0};

	r->graph = sc_graph_get(g);
	r->graph_changes = g->changes;
	r->memory_changes = m->changes;
	for (uint32_t i = 0; i < g->places; i++)
		add_node(r, g->current[g->order[i]], m, kernels, &uses);
	sc_vector_fini(&uses);
	return r;
}

void sc_replay_free(struct sc_replay *r, struct sc_memory_map *m)
{
	if (!r)
		return;
	if (r->note)
		sc_note_put(&m->notes, r->note);
	sc_graph_put(m->notes.pool, r->graph);
	sc_vector_fini(&r->uses);
	sc_vector_fini(&r->groups);
	sc_u64_map_fini(&r->by_allocation);
	free(r);
}

/* ---- is it still so? ---- */

static _Bool meets(const struct sc_address_range *a, const struct sc_address_range *b)
{
	return a->start < b->end && b->start < a->end;
}

/* True if a range that began or ended to lead somewhere is one that the uses lead through. */
static _Bool is_concerned(const struct sc_replay *r, const struct sc_memory_map *m,
			  const struct sc_address_range *range)
{
	_Bool has_implicit = 0;

	for (size_t i = 0; i < r->groups.count; i++) {
		const struct sc_replay_group *g = &r->groups.items[i];

		has_implicit |= g->allocation == &m->implicit;
		if (meets(&g->home, range) || meets(&g->alias, range))
			return 1;
	}
	for (size_t i = 0; has_implicit && i < r->uses.count; i++) {
		const struct sc_use *u = &r->uses.items[i].use;
		struct sc_address_range bytes = {u->shape.base, sc_shape_end(&u->shape)};

		if (u->allocation == &m->implicit && meets(&bytes, range))
			return 1;
	}
	return 0;
}

/* After too many changes each use is looked up again. */
static _Bool leads_there(const struct sc_replay *r, struct sc_memory_map *m)
{
	uint64_t unused;

	for (size_t i = 0; i < r->groups.count; i++) {
		const struct sc_replay_group *g = &r->groups.items[i];

		if (g->allocation != &m->implicit &&
		    (sc_memory_find(m, g->home.start, &unused) != g->allocation ||
		     g->allocation->sequence != g->begun))
			return 0;
	}
	for (size_t i = 0; i < r->uses.count; i++) {
		const struct sc_use *u = &r->uses.items[i].use;

		if (u->allocation == &m->implicit && sc_memory_find(m, u->shape.base, &unused))
			return 0;
	}
	return 1;
}

_Bool sc_replay_is_valid(struct sc_replay *r, const struct sc_graph *g, struct sc_memory_map *m)
{
	uint64_t news = m->changes - r->memory_changes;
	_Bool ok = 1;

	if (r->graph != g || r->graph_changes != g->changes)
		return 0;
	if (news > SC_MEMORY_RECENT)
		ok = leads_there(r, m);
	for (uint64_t i = 0; ok && news <= SC_MEMORY_RECENT && i < news; i++)
		ok = !is_concerned(r, m, &m->recent[(m->changes - 1 - i) % SC_MEMORY_RECENT]);
	r->memory_changes = m->changes;
	return ok;
}

_Bool sc_replay_refresh(struct sc_replay *r)
{
	_Bool is_stale = 0;

	for (size_t i = 0; i < r->groups.count; i++) {
		struct sc_replay_group *g = &r->groups.items[i];

		g->is_stale = g->seen != g->allocation->history.changes;
		is_stale |= g->is_stale;
	}
	return is_stale;
}

_Bool sc_replay_is_stale(const struct sc_replay *r, const struct sc_replay_use *u)
{
	const struct sc_replay_group *g = &r->groups.items[u->group];
	const struct sc_history *h = &g->allocation->history;
	uint64_t news = h->changes - g->seen, end = sc_shape_end(&u->use.shape);

	if (!g->is_stale || news > SC_HISTORY_RECENT)
		return g->is_stale;
	for (uint64_t i = 0; i < news; i++) {
		uint64_t at = (h->changes - 1 - i) % SC_HISTORY_RECENT;

		if (h->recent[at].first < end && u->use.shape.base < h->recent[at].end)
			return 1;
	}
	return 0;
}

void sc_replay_settle(struct sc_replay *r)
{
	for (size_t i = 0; i < r->groups.count; i++) {
		r->groups.items[i].seen = r->groups.items[i].allocation->history.changes;
		r->groups.items[i].is_stale = 0;
	}
}
