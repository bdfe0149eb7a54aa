/* Touch order: the order of touches, also inside graphs. */
#include "analyzer/memory/touch_order.h"

#include <stdbool.h>

bool sc_touch_same_launch(const struct sc_touch *a, const struct sc_touch *b)
{
	const struct sc_note *n = sc_touch_note(a), *m = sc_touch_note(b);

	return n->graph && n->graph == m->graph && sc_interval_same(&n->when, &m->when);
}

static uint16_t kind_of(const struct sc_touch *t)
{
	return t->note->is_replay ? sc_touch_op(t)->kind : t->note->kind;
}

bool sc_touch_is_polled(const struct sc_touch *a, const struct sc_touch *b)
{
	uint16_t kind = kind_of(a);
	bool is_node = kind == SC_OP_NODE && sc_touch_op(a)->value == SC_NODE_MEMOP;
	bool waits = kind == SC_OP_VALUE_WAIT || is_node;

	switch (kind_of(b)) {
	case SC_OP_NODE:
	case SC_OP_VALUE_WRITE:
	case SC_OP_VALUE_WAIT:
	case SC_OP_KERNEL:
	case SC_OP_HOST_READ:
	case SC_OP_HOST_WRITE: return waits || kind == SC_OP_VALUE_WRITE;
	case SC_OP_COPY:
	case SC_OP_SET: return waits;
	default: return 0;
	}
}

static bool waits_for(const struct sc_touch *x, const struct sc_touch *y)
{
	const struct sc_graph *g = y->note->graph;
	const struct sc_interval *w = &sc_touch_note(x)->when;

	for (size_t i = 0; i < g->waits.count; i++) {
		const struct sc_graph_event *e = &g->waits.items[i];
		const struct sc_point *p = &e->covers;

		if (!p->position || sc_interval_is_host(w) ||
		    !sc_graph_reaches(g, e->node, y->node))
			continue;
		if ((p->lane == w->lane && p->position >= w->position) ||
		    sc_clock_at(p->base, w->lane) >= w->position)
			return 1;
		if (x->note->graph && sc_graph_covers(x->note->graph, x->node, w, p))
			return 1;
	}
	return 0;
}

/* True if x is complete before the node of y touches memory, or before it has waited (L-2). */
static bool is_before_node(const struct sc_graph *g, uint32_t x, const struct sc_touch *y)
{
	const struct sc_graph_node *nodes = g->nodes.items;

	if (y->note->early)
		return sc_graph_rows_begun(&g->topology->rows, nodes[x].row, nodes[y->node].row);
	return sc_graph_reaches(g, x, y->node);
}

bool sc_touch_before_in_graph(const struct sc_touch *x, const struct sc_touch *y)
{
	const struct sc_graph *g = x->note->graph;
	const struct sc_interval *end = &sc_touch_note(x)->when, *begin = &sc_touch_note(y)->when;
	struct sc_point start = {.base = begin->start, .lane = SC_LANE_HOST};

	if (sc_touch_same_launch(x, y))
		return !x->is_launch && !y->is_launch && x->node != y->node &&
		       is_before_node(g, x->node, y);
	if (sc_interval_before(end, begin))
		return 1;
	if (g && !x->is_launch && end->position < begin->entered &&
	    sc_graph_covers(g, x->node, end, &start))
		return 1;
	return y->note->graph && !y->is_launch && !x->is_launch && waits_for(x, y);
}

bool sc_touch_unordered_in_graph(const struct sc_touch *x, const struct sc_touch *y)
{
	if (!sc_touch_same_launch(x, y))
		return !sc_interval_same(&sc_touch_note(x)->when, &sc_touch_note(y)->when) &&
		       !sc_touch_before(x, y) && !sc_touch_before(y, x);
	if (x->is_launch || y->is_launch)
		return 1;
	return x->node != y->node && !sc_touch_before(x, y) && !sc_touch_before(y, x) &&
	       !sc_graph_excludes(x->note->graph, x->node, y->node);
}
