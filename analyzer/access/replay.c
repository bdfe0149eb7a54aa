/* Replay: collecting the uses of a graph's nodes, and seeing what changed since. */
#include "analyzer/access/replay.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/assert.h"
#include "base/heap.h"

#define MANY 1024 /* uses that count no more, from which on it is worth to move the others */

/* ---- groups ---- */

/* Where the allocation's group is kept: an index + 1. One without uses may have served another that
 * was at the same place in memory. */
static uint64_t *group_place(struct sc_replay *r, const struct sc_allocation *a)
{
	uint64_t *place = sc_u64_map_get(&r->by_allocation, (uintptr_t)a);
	struct sc_replay_group *g = *place ? &r->groups.items[*place - 1] : NULL;

	if (g && !g->uses && g->begun != a->sequence)
		*place = 0;
	return place;
}

static uint32_t group_of(struct sc_replay *r, struct sc_allocation *a)
{
	uint64_t *place = group_place(r, a);

	if (!*place) {
		sc_vector_push(&r->groups,
			       ((struct sc_replay_group){
				       .allocation = a,
				       .begun = a->sequence,
				       .home = {a->home.range.start, a->home.range.end},
				       .alias = {a->alias.range.start, a->alias.range.end},
				       .seen = UINT64_MAX / 2}));
		*place = r->groups.count;
		r->has_mapped |= a->physical != 0;
	}
	return (uint32_t)*place - 1;
}

/* ---- collecting ---- */

/* A node that begins or ends memory uses all of it (G-13), which is not all that ever lies there.
 */
static void collect_life(const struct sc_graph *g, uint32_t place, struct sc_memory_map *m,
			 sc_uses *out)
{
	const struct sc_graph_lifetime *life = sc_graph_lifetime_of(g, place);
	const struct sc_range *home;
	struct sc_use use = {0};
	uint64_t canonical, start, end;

	use.allocation = sc_memory_find(m, sc_graph_at(g, place)->op.dst, &canonical);
	if (!use.allocation)
		return;
	home = &use.allocation->home.range;
	start = life && life->start > home->start ? life->start : home->start;
	end = life && life->stop < home->end ? life->stop : home->end;
	use.shape = sc_shape_linear(start, end - start, SC_WRITE, SC_KNOWN_EXACT);
	sc_vector_push(out, use);
}

/* What the node touched in the launch, where it matters what comes before a wait: only if that is
 * told apart. */
static size_t executed_of(const struct sc_graph *g, const struct sc_graph_node *n,
			  const struct sc_kernels *kernels)
{
	if (!n->executed || !g->topology->rows.starts)
		return n->executed;
	return sc_executed_node(&kernels->executed, n->executed)->source & SC_BYTES_APART
		       ? n->executed
		       : 0;
}

static void collect_node(const struct sc_graph *g, uint32_t place, struct sc_memory_map *m,
			 struct sc_kernels *kernels, sc_uses *out)
{
	const struct sc_graph_node *n = sc_graph_at(g, place);
	struct sc_record record = {.op = n->op,
				   .sequence = n->sequence,
				   .attachments = n->attachments,
				   .attachment_bytes = n->attachment_bytes};
	struct sc_step step = {.op = &record.op,
			       .sequence = n->sequence,
			       .executed = executed_of(g, n, kernels),
			       .is_enqueued = 1};
	uint32_t bytes;

	record.accesses = sc_record_attachment(&record, SC_ATTACH_ACCESSES, &bytes);
	record.access_count = bytes / (uint32_t)sizeof(*record.accesses);
	if (n->op.kind == SC_OP_ALLOC_ASYNC || n->op.kind == SC_OP_FREE_ASYNC)
		collect_life(g, place, m, out);
	else
		sc_access_collect(m, kernels, &record, &step, out);
}

static void add_use(struct sc_replay *r, uint32_t place, const struct sc_use *use)
{
	struct sc_replay_use u = {.use = *use, .node = r->graph->current[place]};
	struct sc_replay_group *g;

	if (sc_graph_node_is_unsure(&r->graph->nodes.items[u.node]) &&
	    u.use.shape.known == SC_KNOWN_EXACT)
		u.use.shape.known = SC_KNOWN_OVER;
	u.group = group_of(r, u.use.allocation);
	g = &r->groups.items[u.group];
	g->uses++;
	if (!g->places.count || *sc_vector_last(&g->places) != place)
		sc_vector_push(&g->places, place);
	sc_vector_push(&r->uses, u);
}

static void add_place(struct sc_replay *r, uint32_t place, struct sc_memory_map *m,
		      struct sc_kernels *kernels, sc_uses *uses)
{
	sc_assert(place < r->graph->places);
	sc_vector_clear(uses);
	kernels->open = SC_REASON_NONE;
	kernels->has_handles = 0;
	if (!sc_graph_at(r->graph, place)->is_disabled)
		collect_node(r->graph, place, m, kernels, uses);
	if (sc_kernels_may_load(kernels))
		r->loads = place + 1;
	else if (r->loads == place + 1)
		r->loads = 0;
	r->parts[place] = (struct sc_replay_part){(uint32_t)r->uses.count, (uint32_t)uses->count,
						  kernels->has_handles};
	for (size_t i = 0; i < uses->count; i++)
		add_use(r, place, &uses->items[i]);
}

struct sc_replay *sc_replay_new(struct sc_graph *g, struct sc_memory_map *m,
				struct sc_kernels *kernels)
{
	struct sc_replay *r = sc_heap_xcalloc(1, sizeof(*r));
	sc_uses uses = {0};

	sc_assert(g->is_sealed && !g->is_broken);
	r->graph = sc_graph_get(g);
	r->memory_changes = m->changes;
	r->parts = sc_heap_xcalloc((size_t)g->places + 1, sizeof(*r->parts));
	r->rank = sc_heap_xcalloc((size_t)g->places + 1, sizeof(*r->rank));
	r->marks = sc_heap_xcalloc((size_t)g->places + 1, sizeof(*r->marks));
	r->due = sc_heap_xcalloc((size_t)g->places + 1, sizeof(*r->due));
	for (uint32_t i = 0; i < g->places; i++) {
		r->rank[g->topology->rows.order[i]] = i;
		add_place(r, g->topology->rows.order[i], m, kernels, &uses);
	}
	sc_graph_settle(g);
	r->room = 2 * r->uses.count + MANY;
	sc_vector_fini(&uses);
	return r;
}

void sc_replay_free(struct sc_replay *r, struct sc_memory_map *m)
{
	if (!r)
		return;
	if (r->note)
		sc_note_put(&m->notes, r->note);
	for (size_t i = 0; i < r->groups.count; i++)
		sc_vector_fini(&r->groups.items[i].places);
	sc_graph_put(m->notes.pool, r->graph);
	sc_vector_fini(&r->uses);
	sc_vector_fini(&r->groups);
	sc_vector_fini(&r->stale);
	sc_vector_fini(&r->todo);
	sc_vector_fini(&r->ways);
	sc_vector_fini(&r->renewed);
	sc_u64_map_fini(&r->by_allocation);
	free(r->parts);
	free(r->rank);
	free(r->marks);
	free(r->due);
	free(r);
}

/* ---- nodes that changed ---- */

static bool is_alive(struct sc_memory_map *m, const struct sc_replay_group *g)
{
	uint64_t unused;

	return g->allocation == &m->implicit ||
	       (sc_memory_find(m, g->home.start, &unused) == g->allocation &&
		g->allocation->sequence == g->begun);
}

/* The other nodes look at these bytes again. */
static void mark_part_changed(const struct sc_replay *r, struct sc_memory_map *m,
			      const struct sc_replay_part *p)
{
	for (uint32_t i = p->first; i < p->first + p->count; i++) {
		const struct sc_access *shape = &r->uses.items[i].use.shape;
		const struct sc_replay_group *g = &r->groups.items[r->uses.items[i].group];

		if (is_alive(m, g))
			sc_history_changed(&g->allocation->history, shape->base,
					   sc_shape_end(shape));
	}
}

static void drop_part(struct sc_replay *r, struct sc_memory_map *m, struct sc_replay_part *p)
{
	mark_part_changed(r, m, p);
	for (uint32_t i = p->first; i < p->first + p->count; i++) {
		sc_assert(r->groups.items[r->uses.items[i].group].uses > 0);
		r->groups.items[r->uses.items[i].group].uses--;
	}
	p->count = 0;
}

/* Moves the uses that count together, once the others are many. */
static void tidy(struct sc_replay *r)
{
	SC_VECTOR(struct sc_replay_use) all = {0};

	if (r->uses.count < r->room)
		return;
	for (uint32_t i = 0; i < r->graph->places; i++) {
		struct sc_replay_part *p = &r->parts[r->graph->topology->rows.order[i]];
		uint32_t first = (uint32_t)all.count;

		for (uint32_t k = p->first; k < p->first + p->count; k++)
			sc_vector_push(&all, r->uses.items[k]);
		p->first = first;
	}
	sc_vector_fini(&r->uses);
	r->uses.items = all.items;
	r->uses.count = all.count;
	r->uses.room = all.room;
	r->room = 2 * all.count + MANY;
}

size_t sc_replay_renew(struct sc_replay *r, struct sc_memory_map *m, struct sc_kernels *kernels)
{
	struct sc_graph *g = r->graph;
	sc_uses uses = {0};

	sc_vector_clear(&r->renewed);
	for (size_t i = 0; i < g->changed.count; i++) {
		uint32_t place = g->changed.items[i];

		sc_assert(!r->parts[place].count); /* sc_replay_is_valid dropped it */
		add_place(r, place, m, kernels, &uses);
		mark_part_changed(r, m, &r->parts[place]);
		sc_vector_push(&r->renewed, place);
	}
	sc_graph_settle(g);
	sc_vector_fini(&uses);
	tidy(r);
	return r->renewed.count;
}

/* ---- is it still so? ---- */

static bool meets(const struct sc_address_range *a, const struct sc_address_range *b)
{
	return a->start < b->end && b->start < a->end;
}

/* True if a range that began or ended to lead somewhere is one that the uses lead through. */
static bool is_concerned(const struct sc_replay *r, const struct sc_memory_map *m,
			 const struct sc_address_range *range)
{
	bool has_implicit = 0;

	for (size_t i = 0; i < r->groups.count; i++) {
		const struct sc_replay_group *g = &r->groups.items[i];

		if (!g->uses)
			continue;
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
static bool leads_there(const struct sc_replay *r, struct sc_memory_map *m)
{
	uint64_t unused;

	for (size_t i = 0; i < r->groups.count; i++) {
		const struct sc_replay_group *g = &r->groups.items[i];

		if (g->uses && !is_alive(m, g))
			return 0;
	}
	for (size_t i = 0; i < r->uses.count; i++) {
		const struct sc_use *u = &r->uses.items[i].use;

		if (u->allocation == &m->implicit && sc_memory_find(m, u->shape.base, &unused))
			return 0;
	}
	return 1;
}

bool sc_replay_is_valid(struct sc_replay *r, const struct sc_graph *g, struct sc_memory_map *m)
{
	uint64_t news = m->changes - r->memory_changes;
	bool ok = r->graph == g;

	sc_assert(r->memory_changes <= m->changes);
	for (size_t i = 0; ok && i < g->changed.count; i++)
		drop_part(r, m, &r->parts[g->changed.items[i]]);
	if (news > SC_MEMORY_RECENT)
		ok = ok && leads_there(r, m);
	for (uint64_t i = 0; ok && news <= SC_MEMORY_RECENT && i < news; i++)
		ok = !is_concerned(r, m, &m->recent[(m->changes - 1 - i) % SC_MEMORY_RECENT]);
	r->memory_changes = m->changes;
	return ok;
}

/* ---- what has to be looked at again ---- */

bool sc_replay_is_stale(const struct sc_replay *r, const struct sc_replay_use *u)
{
	const struct sc_replay_group *g = &r->groups.items[u->group];
	const struct sc_history *h = &g->allocation->history;

	sc_assert(u->group < r->groups.count);
	return g->is_stale &&
	       sc_history_is_changed(h, g->seen, u->use.shape.base, sc_shape_end(&u->use.shape));
}

/* A use's mode and certainty as a bit. */
static uint32_t way_of(const struct sc_use *use)
{
	return UINT32_C(1) << (use->shape.mode + SC_MODES * use->shape.known);
}

/* The uses of one place in a stale group; false if there are none any more. */
static bool look_at_part(struct sc_replay *r, uint32_t group, uint32_t place, uint32_t *ways)
{
	const struct sc_replay_part *p = &r->parts[place];
	bool is_user = 0, is_due = 0;

	for (uint32_t i = p->first; i < p->first + p->count; i++) {
		const struct sc_replay_use *u = &r->uses.items[i];

		if (u->group != group)
			continue;
		is_user = 1;
		is_due = is_due || sc_replay_is_stale(r, u);
		if (!(*ways & way_of(&u->use)))
			sc_vector_push(&r->ways, i);
		*ways |= way_of(&u->use);
	}
	if (is_due && r->due[place] != r->refreshes) {
		r->due[place] = r->refreshes;
		sc_vector_push(&r->todo, r->rank[place]);
	}
	return is_user;
}

static void look_at(struct sc_replay *r, uint32_t group)
{
	struct sc_replay_group *g = &r->groups.items[group];
	uint32_t ways = 0;
	size_t kept = 0;

	r->rounds++;
	for (size_t i = 0; i < g->places.count; i++) {
		uint32_t place = g->places.items[i];

		if (r->marks[place] == r->rounds)
			continue;
		r->marks[place] = r->rounds;
		if (look_at_part(r, group, place, &ways))
			g->places.items[kept++] = place;
	}
	g->places.count = kept;
}

static int by_rank(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a > b) - (a < b);
}

/* Few are sorted, many are met in their order. */
static void sort_todo(struct sc_replay *r)
{
	uint32_t places = r->graph->places;

	if (r->todo.count < 2)
		return;
	if (r->todo.count < places / 16) {
		qsort(r->todo.items, r->todo.count, sizeof(*r->todo.items), by_rank);
		return;
	}
	sc_vector_clear(&r->todo);
	for (uint32_t i = 0; i < places; i++)
		if (r->due[r->graph->topology->rows.order[i]] == r->refreshes)
			sc_vector_push(&r->todo, i);
}

bool sc_replay_refresh(struct sc_replay *r, bool is_full)
{
	r->refreshes++;
	sc_vector_clear(&r->stale);
	sc_vector_clear(&r->todo);
	sc_vector_clear(&r->ways);
	for (uint32_t i = 0; i < r->groups.count; i++) {
		struct sc_replay_group *g = &r->groups.items[i];

		if (!g->uses ||
		    (!is_full && g->seen == sc_history_changes(&g->allocation->history)))
			continue;
		if (is_full)
			g->seen = UINT64_MAX / 2; /* all of it */
		g->is_stale = 1;
		sc_vector_push(&r->stale, i);
		look_at(r, i);
	}
	sort_todo(r);
	return r->stale.count > 0;
}

static void settle(struct sc_replay_group *g)
{
	if (!g->uses)
		return;
	sc_history_watch(&g->allocation->history);
	g->seen = sc_history_changes(&g->allocation->history);
	g->is_stale = 0;
}

void sc_replay_settle(struct sc_replay *r)
{
	for (size_t i = 0; i < r->stale.count; i++)
		settle(&r->groups.items[r->stale.items[i]]);
	for (size_t i = 0; r->has_mapped && i < r->groups.count; i++)
		settle(&r->groups.items[i]);
}
