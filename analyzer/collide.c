/* Collide: the order of touches, also inside graphs. */
#include "analyzer/collide.h"

_Bool sc_touch_same_launch(const struct sc_touch *a, const struct sc_touch *b)
{
	return a->note->graph && a->note->graph == b->note->graph &&
	       sc_when_same(&a->note->when, &b->note->when);
}

_Bool sc_op_is_polled(const struct sc_op *a, const struct sc_op *b)
{
	_Bool is_node = a->kind == SC_OP_NODE && a->value == SC_NODE_MEMOP;
	_Bool waits = a->kind == SC_OP_VALUE_WAIT || is_node;

	switch (b->kind) {
	case SC_OP_NODE:
	case SC_OP_VALUE_WRITE:
	case SC_OP_VALUE_WAIT:
	case SC_OP_KERNEL:
	case SC_OP_HOST_READ:
	case SC_OP_HOST_WRITE: return waits || a->kind == SC_OP_VALUE_WRITE;
	case SC_OP_COPY:
	case SC_OP_SET: return waits;
	default: return 0;
	}
}

static _Bool waits_for(const struct sc_touch *x, const struct sc_touch *y)
{
	const struct sc_graph *g = y->note->graph;
	const struct sc_when *w = &x->note->when;

	for (size_t i = 0; i < g->waits.count; i++) {
		const struct sc_graph_event *e = &g->waits.items[i];
		const struct sc_point *p = &e->covers;

		if (!p->position || sc_when_is_host(w) || !sc_graph_reaches(g, e->node, y->node))
			continue;
		if ((p->lane == w->lane && p->position >= w->position) ||
		    sc_clock_at(p->base, w->lane) >= w->position)
			return 1;
		if (x->note->graph && sc_graph_covers(x->note->graph, x->node, w, p))
			return 1;
	}
	return 0;
}

_Bool sc_touch_before_in_graph(const struct sc_touch *x, const struct sc_touch *y)
{
	const struct sc_graph *g = x->note->graph;
	struct sc_point start = {.base = y->note->when.start, .lane = SC_LANE_HOST};

	if (sc_touch_same_launch(x, y))
		return !x->is_launch && !y->is_launch && x->node != y->node &&
		       sc_graph_reaches(g, x->node, y->node);
	if (sc_when_before(&x->note->when, &y->note->when))
		return 1;
	if (g && !x->is_launch && x->note->when.position < y->note->when.entered &&
	    sc_graph_covers(g, x->node, &x->note->when, &start))
		return 1;
	return y->note->graph && !y->is_launch && !x->is_launch && waits_for(x, y);
}

_Bool sc_touch_unordered_in_graph(const struct sc_touch *x, const struct sc_touch *y)
{
	if (!sc_touch_same_launch(x, y))
		return !sc_when_same(&x->note->when, &y->note->when) && !sc_touch_before(x, y) &&
		       !sc_touch_before(y, x);
	if (x->is_launch || y->is_launch)
		return 1;
	return x->node != y->node && !sc_touch_before(x, y) && !sc_touch_before(y, x) &&
	       !sc_graph_excludes(x->note->graph, x->node, y->node);
}

_Bool sc_touch_replaces(const struct sc_touch *new, const struct sc_touch *old)
{
	if (new->note == old->note &&new->node == old->node &&new->mode == old->mode &&new->known ==
	    old->known &&new->note->is_replay)
		return 1; /* a replay */
	return sc_touch_outdoes(new, old) && sc_touch_before(old, new);
}
