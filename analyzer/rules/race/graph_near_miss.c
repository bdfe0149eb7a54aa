/* Near misses inside graphs: forks, joins, programmatic edges, event nodes beside the path. */
#include "analyzer/rules/race/graph_near_miss.h"

#include <stdbool.h>

#define NO_NODE UINT32_MAX

/* Two nodes of a graph that are not ordered. */
struct pair {
	const struct sc_graph *graph;
	uint32_t a, b;
};

static uint64_t shown(const struct sc_graph *g, uint32_t place)
{
	return sc_graph_at(g, place)->sequence + 1;
}

static void set_reach(struct sc_finding *f, enum sc_reach reach, uint64_t op)
{
	f->reach = (uint8_t)reach;
	f->reach_op = op;
}

/* ---- both in one launch ---- */

/* The first node on the paths from a to b that does not come after a: its edge is programmatic. */
static uint32_t find_loss(const struct pair *p)
{
	const struct sc_graph *g = p->graph;

	for (uint32_t i = 0; i < g->places; i++) {
		uint32_t x = g->topology->rows.order[i];
		bool is_on_path = sc_graph_leads(g, p->a, x) &&
				  (x == g->nodes.items[p->b].row || sc_graph_leads(g, x, p->b));

		if (is_on_path && !sc_graph_reaches(g, p->a, x))
			return x;
	}
	return NO_NODE;
}

static bool is_before_both(const struct pair *p, uint32_t x)
{
	return sc_graph_leads(p->graph, x, p->a) && sc_graph_leads(p->graph, x, p->b);
}

static bool is_after_both(const struct pair *p, uint32_t x)
{
	return sc_graph_leads(p->graph, p->a, x) && sc_graph_leads(p->graph, p->b, x);
}

/* The last node that both depend on, or the first one that depends on both. */
static uint32_t find_meeting(const struct pair *p, bool is_join)
{
	const struct sc_graph *g = p->graph;

	for (uint32_t i = 0; i < g->places; i++) {
		uint32_t x = g->topology->rows.order[is_join ? i : g->places - 1 - i];

		if (is_join ? is_after_both(p, x) : is_before_both(p, x))
			return x;
	}
	return NO_NODE;
}

/* How many nodes lie between the meeting and the two. */
static uint32_t distance(const struct pair *p, uint32_t meeting, bool is_join)
{
	const struct sc_graph *g = p->graph;
	uint32_t count = 0;

	for (uint32_t x = 0; meeting != NO_NODE && x < g->places; x++) {
		if (is_join)
			count += sc_graph_leads(g, x, meeting) &&
				 (sc_graph_leads(g, p->a, x) || sc_graph_leads(g, p->b, x));
		else
			count += sc_graph_leads(g, meeting, x) &&
				 (sc_graph_leads(g, x, p->a) || sc_graph_leads(g, x, p->b));
	}
	return meeting == NO_NODE ? UINT32_MAX : count;
}

/* Reports the nearer of the two meetings: the order came too late, or too early. */
static void report_meeting(const struct pair *p, struct sc_finding *f)
{
	uint32_t fork = find_meeting(p, 0), join = find_meeting(p, 1);
	bool is_join = distance(p, join, 1) <= distance(p, fork, 0);
	uint32_t meeting = is_join ? join : fork;

	if (meeting != NO_NODE)
		set_reach(f, is_join ? SC_REACH_JOIN : SC_REACH_FORK, shown(p->graph, meeting));
}

void sc_near_miss_inside(const struct sc_touch *earlier, const struct sc_touch *later,
			 struct sc_finding *f)
{
	struct pair p = {earlier->note->graph, earlier->node, later->node};
	uint32_t loss;

	if (p.graph->topology->rows.is_large || earlier->is_launch || later->is_launch)
		return;
	if (!sc_graph_leads(p.graph, p.a, p.b)) {
		report_meeting(&p, f);
		return;
	}
	loss = find_loss(&p);
	if (loss != NO_NODE)
		set_reach(f, SC_REACH_EARLY, shown(p.graph, loss));
}

/* ---- one of them outside ---- */

static void fix_edge(struct sc_finding *f, uint64_t after, uint64_t before)
{
	f->fix = SC_FIX_EDGE;
	f->fix_after = after;
	f->fix_before = before;
}

/* The later side's graph waits for the earlier one, in a node that does not lead there (G-9). */
static bool report_wait_node(const struct sc_touch *earlier, const struct sc_touch *later,
			     struct sc_finding *f)
{
	const struct sc_graph *g = later->note->graph;
	const struct sc_interval *x = &sc_touch_note(earlier)->when;

	for (size_t i = 0; i < g->waits.count; i++) {
		const struct sc_graph_event *e = &g->waits.items[i];
		struct sc_target covers = {.point = e->covers};

		if (!e->covers.position || !sc_target_covers(&covers, x) ||
		    sc_graph_leads(g, later->node, e->node))
			continue;
		set_reach(f, SC_REACH_BESIDE, shown(g, e->node));
		fix_edge(f, f->reach_op, g->nodes.items[later->node].sequence + 1);
		return 1;
	}
	return 0;
}

/* The node of the earlier side's launch whose record a wait waits for, or NULL. */
static const struct sc_graph_event *recorded_by(const struct sc_graph *g, const struct sc_wait *w,
						const struct sc_interval *x)
{
	for (size_t i = 0; i < g->records.count; i++) {
		const struct sc_graph_event *e = &g->records.items[i];

		if (w->kind == SC_WAIT_EVENT && w->covers.point.lane == e->lane &&
		    w->covers.point.position == x->position)
			return e;
	}
	return NULL;
}

static bool report_record_node(const struct sc_wait_log *log, const struct sc_touch *earlier,
			       const struct sc_touch *later, uint32_t thread, struct sc_finding *f)
{
	const struct sc_graph *g = earlier->note->graph;
	const struct sc_note *n = sc_touch_note(earlier);
	struct sc_wait w;

	for (uint32_t i = 0; sc_wait_log_at(log, i, &w); i++) {
		const struct sc_graph_event *e = recorded_by(g, &w, &n->when);

		if (!e || w.sequence >= later->note->sequence || w.sequence <= n->sequence ||
		    (thread && w.thread != thread) || sc_graph_leads(g, e->node, earlier->node))
			continue;
		set_reach(f, SC_REACH_PART, w.sequence + 1);
		f->reach_record = shown(g, e->node);
		fix_edge(f, g->nodes.items[earlier->node].sequence + 1, f->reach_record);
		return 1;
	}
	return 0;
}

static bool is_node(const struct sc_touch *t)
{
	return t->note->is_replay && !t->is_launch && !t->note->graph->topology->rows.is_large;
}

bool sc_near_miss_outside(struct sc_order *o, const struct sc_touch *earlier,
			  const struct sc_touch *later, struct sc_finding *f)
{
	const struct sc_note *m = later->note;
	const struct sc_stream *s;

	if (is_node(later) && report_wait_node(earlier, later, f))
		return 1;
	if (!is_node(earlier))
		return 0;
	s = sc_interval_is_host(&m->when) || m->is_callback
		    ? NULL
		    : sc_stream_of(&o->streams, m->op.stream, m->op.context);
	return (s && report_record_node(&s->waits, earlier, later, 0, f)) ||
	       report_record_node(&o->host.waits, earlier, later, m->op.thread, f);
}
