/* Graphs: taking nodes from the trace. */
#include "analyzer/graph/graph.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/assert.h"
#include "analyzer/clock/note.h"
#include "base/heap.h"

struct sc_graph *sc_graph_new(const struct sc_record *instantiation)
{
	struct sc_graph *g = sc_heap_xcalloc(1, sizeof(*g));

	sc_assert(instantiation->op.kind == SC_OP_INSTANTIATE);
	g->refs = 1;
	g->id = instantiation->op.object;
	g->sequence = instantiation->sequence;
	g->made = instantiation->op;
	g->flags = instantiation->op.value;
	g->promised = instantiation->op.bytes;
	g->topology = sc_heap_xcalloc(1, sizeof(*g->topology));
	g->topology->refs = 1;
	return g;
}

static void put_topology(struct sc_topology *t)
{
	sc_assert(t->refs > 0);
	if (--t->refs)
		return;
	sc_graph_lifetimes_fini(&t->lives);
	sc_graph_rows_fini(&t->rows);
	free(t);
}

static void free_events(struct sc_clock_pool *pool, sc_graph_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		sc_point_put(pool, &events->items[i].covers);
	sc_vector_fini(events);
}

static void free_bygones(struct sc_clock_pool *pool, struct sc_graph *g)
{
	while (g->bygones) {
		struct sc_bygone *b = g->bygones;

		g->bygones = b->next;
		sc_clock_put(pool, b->note.when.start);
		free(b);
	}
}

void sc_graph_put(struct sc_clock_pool *pool, struct sc_graph *g)
{
	sc_assert(!g || g->refs > 0);
	if (!g || --g->refs)
		return;
	free_bygones(pool, g);
	for (size_t i = 0; i < g->nodes.count; i++) {
		free(g->nodes.items[i].attachments);
		sc_vector_fini(&g->nodes.items[i].after);
	}
	sc_vector_fini(&g->nodes);
	sc_vector_fini(&g->changed);
	sc_vector_fini(&g->retired);
	free_events(pool, &g->records);
	free_events(pool, &g->waits);
	sc_vector_fini(&g->callbacks);
	put_topology(g->topology);
	free(g->current);
	free(g);
}

static void add_dependencies(struct sc_graph_node *n, const struct sc_dependency *list,
			     size_t count)
{
	for (size_t i = 0; i < count; i++)
		sc_vector_push(&n->after, list[i]);
}

/* Sets what the node does; the node keeps its place. */
static void set_content(struct sc_graph_node *n, const struct sc_record *r)
{
	free(n->attachments);
	n->op = r->op;
	n->sequence = r->sequence;
	n->attachment_bytes = r->attachment_bytes;
	n->attachments = (uint8_t *)sc_heap_xcopy(r->attachments, r->attachment_bytes);
}

/* The item of a place for the launches to come (G-10); the old one keeps what findings show. */
static struct sc_graph_node *next_item(struct sc_graph *g, uint32_t place)
{
	struct sc_graph_node *old = sc_graph_at(g, place), n = *old;

	sc_assert(place < g->places);
	if (old->is_fresh)
		return old;
	n.is_fresh = 1;
	old->attachments = NULL;
	old->attachment_bytes = 0;
	sc_vector_push(&g->changed, place);
	sc_vector_push(&g->retired, g->current[place]);
	g->current[place] = (uint32_t)g->nodes.count;
	sc_vector_push(&g->nodes, n);
	return sc_vector_last(&g->nodes);
}

/* A known node: new parameters, or switched on or off. */
static void change(struct sc_graph *g, const struct sc_node *place, const struct sc_record *r)
{
	bool is_update = place->flags & SC_NODE_UPDATE;
	struct sc_graph_node *n;
	uint32_t context;

	if ((is_update && sc_graph_at(g, place->index)->op.kind != r->op.kind) ||
	    g->nodes.count == UINT32_MAX) {
		g->is_broken = 1;
		return;
	}
	context = sc_graph_at(g, place->index)->op.context; /* stays that of the node */
	n = next_item(g, place->index);
	g->has_new_code |= is_update && n->op.object != r->op.object;
	if (is_update)
		set_content(n, r);
	else
		n->is_disabled = place->flags & SC_NODE_DISABLED;
	n->op.context = context;
}

void sc_graph_set_executed(struct sc_graph *g, uint32_t place, size_t executed, bool is_first)
{
	struct sc_graph_node *n = place < g->places ? sc_graph_at(g, place) : NULL;

	sc_assert(g->is_sealed && !g->is_broken);
	if (!n || n->op.kind != SC_OP_KERNEL || n->executed == executed ||
	    g->nodes.count == UINT32_MAX)
		return;
	g->executed += !n->executed;
	g->executed -= !executed;
	n = is_first ? n : next_item(g, place);
	n->executed = executed;
}

void sc_graph_set_run(struct sc_graph *g, uint32_t place, bool has_run, bool is_first)
{
	struct sc_graph_node *n;

	sc_assert(g->is_sealed && place < g->places);
	n = sc_graph_at(g, place);
	if (n->has_run == has_run || g->nodes.count == UINT32_MAX)
		return;
	n = is_first ? n : next_item(g, place);
	n->has_run = has_run;
}

void sc_graph_settle(struct sc_graph *g)
{
	sc_assert(g->is_sealed && g->changed.count <= g->nodes.count);
	for (size_t i = 0; i < g->changed.count; i++)
		sc_graph_at(g, g->changed.items[i])->is_fresh = 0;
	sc_vector_clear(&g->changed);
}

/* The same before the first launch. */
static void prepare(struct sc_graph *g, const struct sc_node *place, const struct sc_record *r)
{
	struct sc_graph_node *n = &g->nodes.items[place->index];

	if (place->flags & SC_NODE_UPDATE)
		set_content(n, r);
	else
		n->is_disabled = place->flags & SC_NODE_DISABLED;
}

static bool is_known(const struct sc_graph *g, uint32_t index)
{
	return index < g->nodes.count && g->nodes.items[index].is_given;
}

static struct sc_graph_node *node_at(struct sc_graph *g, uint32_t index)
{
	while (g->nodes.count <= index)
		sc_vector_push(&g->nodes, (struct sc_graph_node){0});
	return &g->nodes.items[index];
}

static void add(struct sc_graph *g, const struct sc_node *place, const struct sc_record *r)
{
	struct sc_graph_node *n = node_at(g, place->index);

	if (n->is_given)
		return;
	n->is_given = 1;
	n->parent = place->parent;
	n->body = place->body;
	n->is_disabled = place->flags & SC_NODE_DISABLED;
	set_content(n, r);
}

void sc_graph_note(struct sc_graph *g, const struct sc_record *r)
{
	uint32_t bytes = 0;
	const struct sc_node *place = sc_record_attachment(r, SC_ATTACH_NODE, &bytes);
	size_t edges;

	if (!place || bytes < sizeof(*place))
		return;
	edges = (bytes - sizeof(*place)) / sizeof(struct sc_dependency);
	if (place->index >= SC_GRAPH_NODES_MAX) {
		g->is_broken = 1;
	} else if (g->is_sealed) {
		if (!g->is_broken && place->index < g->places)
			change(g, place, r);
	} else if (is_known(g, place->index) && !(place->flags & SC_NODE_MORE)) {
		prepare(g, place, r);
	} else {
		if (!(place->flags & SC_NODE_MORE))
			add(g, place, r);
		add_dependencies(node_at(g, place->index),
				 (const struct sc_dependency *)(place + 1), edges);
	}
}

/* ---- sealing ---- */

static void sort_out(struct sc_graph *g, uint32_t index)
{
	struct sc_graph_node *n = &g->nodes.items[index];
	uint32_t unused;

	n->is_maybe = sc_graph_body_of(g, index, &unused) != 0;
	g->has_bodies |= n->is_maybe;
	sc_vector_fini(&n->after); /* is in the order */
	g->current[index] = index;
	switch (n->op.kind) {
	case SC_OP_EVENT_RECORD:
		sc_vector_push(&g->records,
			       ((struct sc_graph_event){.node = index, .lane = SC_LANE_HOST}));
		break;
	case SC_OP_EVENT_WAIT:
		sc_vector_push(&g->waits, ((struct sc_graph_event){.node = index}));
		break;
	case SC_OP_HOST_FUNC: sc_vector_push(&g->callbacks, index); break;
	case SC_OP_NODE:
		g->is_held |= n->op.value == SC_NODE_WAIT || n->op.value == SC_NODE_MEMOP;
		g->signals |= n->op.value == SC_NODE_SIGNAL;
		break;
	default: break;
	}
}

static bool is_whole(const struct sc_graph *g)
{
	if (g->promised && g->promised != g->nodes.count)
		return 0;
	for (size_t i = 0; i < g->nodes.count; i++) {
		const struct sc_graph_node *n = &g->nodes.items[i];

		if (!n->is_given || n->parent > g->nodes.count)
			return 0;
		for (size_t k = 0; k < n->after.count; k++)
			if (n->after.items[k].node >= g->nodes.count)
				return 0;
	}
	return 1;
}

bool sc_graph_seal(struct sc_graph *g)
{
	if (g->is_sealed)
		return !g->is_broken;
	g->is_sealed = 1;
	if (!g->is_broken && !is_whole(g))
		g->is_broken = 1;
	if (!g->is_broken &&
	    !sc_graph_rows_find(&g->topology->rows, g->nodes.items, (uint32_t)g->nodes.count))
		g->is_broken = 1;
	g->places = (uint32_t)g->nodes.count;
	g->current = sc_heap_xcalloc((size_t)g->places + 1, sizeof(*g->current));
	for (uint32_t i = 0; !g->is_broken && i < g->places; i++)
		sort_out(g, i);
	if (!g->is_broken)
		sc_graph_lifetimes_find(&g->topology->lives, &g->topology->rows, g->nodes.items,
					g->places);
	sc_assert(g->is_broken || g->places <= g->topology->rows.count);
	return !g->is_broken;
}

/* ---- graphs that are updated again and again ---- */

bool sc_graph_is_crowded(const struct sc_graph *g, size_t few)
{
	uint64_t most = few + (uint64_t)few * 3 * g->places / SC_GRAPH_OLD_FEW;

	sc_assert(!g->is_sealed || g->nodes.count >= g->places);
	return g->is_sealed && !g->is_broken && g->nodes.count - g->places > most;
}

/* Moves what the nodes do now; the places stay. */
static void take_nodes(struct sc_graph *to, struct sc_graph *from)
{
	to->current = sc_heap_xcalloc((size_t)to->places + 1, sizeof(*to->current));
	sc_vector_reserve(&to->nodes, to->places);
	for (uint32_t i = 0; i < to->places; i++) {
		struct sc_graph_node *n = sc_graph_at(from, i);

		to->current[i] = i;
		sc_vector_push(&to->nodes, *n);
		to->nodes.items[i].is_fresh = 0;
		to->nodes.items[i].bygone = NULL;
		n->attachments = NULL;
		n->attachment_bytes = 0;
	}
}

static void take_events(sc_graph_events *to, const sc_graph_events *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct sc_graph_event e = from->items[i];

		sc_clock_get(e.covers.base);
		sc_vector_push(to, e);
	}
}

struct sc_graph *sc_graph_replacement(struct sc_graph *g)
{
	struct sc_graph *new = sc_heap_xcalloc(1, sizeof(*new));

	sc_assert(g->is_sealed && !g->is_broken);
	*new = (struct sc_graph){.refs = 1,
				 .id = g->id,
				 .sequence = g->sequence,
				 .made = g->made,
				 .flags = g->flags,
				 .promised = g->promised,
				 .places = g->places,
				 .is_sealed = 1,
				 .has_bodies = g->has_bodies,
				 .is_held = g->is_held,
				 .signals = g->signals,
				 .has_new_code = g->has_new_code,
				 .executed = g->executed,
				 .topology = g->topology};
	g->topology->refs++;
	take_nodes(new, g);
	take_events(&new->records, &g->records);
	take_events(&new->waits, &g->waits);
	for (size_t i = 0; i < g->callbacks.count; i++)
		sc_vector_push(&new->callbacks, g->callbacks.items[i]);
	sc_assert(new->nodes.count == g->places);
	return new;
}

/* ---- questions ---- */

uint64_t sc_graph_body_of(const struct sc_graph *g, uint32_t place, uint32_t *holder)
{
	sc_assert(place < g->nodes.count);
	for (const struct sc_graph_node *n = &g->nodes.items[place]; n->parent;
	     n = &g->nodes.items[n->parent - 1]) {
		const struct sc_op *op = &g->nodes.items[n->parent - 1].op;

		*holder = n->parent - 1;
		if (op->kind == SC_OP_NODE && op->value == SC_NODE_CONDITIONAL)
			return (uint64_t)n->parent << 32 | n->body;
	}
	return 0;
}

bool sc_graph_excludes(const struct sc_graph *g, uint32_t x, uint32_t y)
{
	sc_assert(x < g->nodes.count && y < g->nodes.count);
	for (const struct sc_graph_node *n = &g->nodes.items[x]; n->parent;
	     n = &g->nodes.items[n->parent - 1])
		for (const struct sc_graph_node *m = &g->nodes.items[y]; m->parent;
		     m = &g->nodes.items[m->parent - 1])
			if (n->parent == m->parent)
				return n->body != m->body;
	return 0;
}

static bool knows(const struct sc_point *p, uint32_t lane, uint64_t position)
{
	return (p->lane == lane && p->position >= position) ||
	       sc_clock_at(p->base, lane) >= position;
}

bool sc_graph_covers(const struct sc_graph *g, uint32_t node, const struct sc_interval *x,
		     const struct sc_point *p)
{
	sc_assert(node < g->nodes.count);
	for (size_t i = 0; i < g->records.count; i++) {
		const struct sc_graph_event *e = &g->records.items[i];

		if (e->lane != SC_LANE_HOST && knows(p, e->lane, x->position) &&
		    sc_graph_reaches(g, node, e->node))
			return 1;
	}
	return 0;
}
