/* Launches of graphs: what a launch comes after, and what its event nodes publish. */
#include "analyzer/order/graph_launch.h"

#include <stdbool.h>
#include "analyzer/graph/programmatic.h"
#include "analyzer/kernel/code.h"
#include "base/assert.h"

/* A lane may serve another graph once the host knows everything on it. */
static void give_lanes_back(struct sc_order *o, const struct sc_exec *e)
{
	for (size_t i = 0; e->graph && i < e->graph->records.count; i++) {
		uint32_t lane = e->graph->records.items[i].lane;

		if (lane != SC_LANE_HOST && sc_host_is_over(&o->host, lane, e->launched))
			sc_vector_push(&o->streams.free_lanes, lane);
	}
}

static void drop_graph(struct sc_order *o, struct sc_exec *e)
{
	give_lanes_back(o, e);
	sc_graph_put(&o->pool, e->graph);
	e->graph = NULL;
}

void sc_graph_launch_forget(struct sc_order *o, struct sc_exec *e)
{
	drop_graph(o, e);
	sc_exec_forget(&o->execs, e, &o->pool);
}

void sc_graph_launch_instantiate(struct sc_order *o, const struct sc_record *record)
{
	struct sc_exec *e = sc_exec_of(&o->execs, record->op.object);
	uint64_t flags = e->graph ? e->graph->made.value : 0; /* an update keeps them */

	sc_assert(record->op.kind == SC_OP_INSTANTIATE);
	drop_graph(o, e);
	e->graph = sc_graph_new(record);
	e->graph->made.value |= flags;
}

void sc_graph_launch_node(struct sc_order *o, const struct sc_record *record)
{
	struct sc_exec *e = sc_exec_find(&o->execs, record->op.peer);

	sc_assert(record->op.flags & SC_FLAG_NODE);
	if (!e || !e->graph)
		return;
	sc_graph_note(e->graph, record);
	if (record->op.kind == SC_OP_KERNEL && o->code)
		e->grid |= sc_code_grid(o->code, record->op.object);
}

/* Binds each wait node to the record that its event has at the call (G-9). */
static void bind_waits(struct sc_order *o, struct sc_graph *g, uint64_t position)
{
	for (size_t i = 0; i < g->waits.count; i++) {
		struct sc_graph_event *w = &g->waits.items[i];
		struct sc_event *e = sc_event_of(&o->events, sc_graph_at(g, w->node)->op.object);
		const struct sc_event_record *r = sc_event_bound(e);

		sc_point_put(&o->pool, &w->covers);
		if (r && !sc_graph_at(g, w->node)->is_disabled)
			w->covers = sc_point_get(&r->snapshot);
		if (e->is_foreign || e->is_captured)
			sc_order_note_unseen(o, position, SC_DOUBT_FOREIGN);
	}
}

/* What is complete when a node records an event: what came before the launch, and the nodes before
 * this node. */
static struct sc_point record_point(struct sc_order *o, const struct sc_graph *g,
				    const struct sc_graph_event *e, uint64_t position)
{
	struct sc_point p = {
		.base = sc_clock_get(o->execs.started), .lane = e->lane, .position = position};

	for (size_t i = 0; i < g->waits.count; i++)
		if (sc_graph_reaches(g, g->waits.items[i].node, e->node))
			sc_clock_join_point(&o->pool, &p.base, &g->waits.items[i].covers);
	for (size_t i = 0; i < g->records.count; i++)
		if (sc_graph_reaches(g, g->records.items[i].node, e->node))
			sc_clock_raise(&o->pool, &p.base, g->records.items[i].lane, position);
	return p;
}

static void take_lanes(struct sc_order *o, struct sc_graph *g)
{
	for (size_t i = 0; i < g->records.count; i++)
		if (g->records.items[i].lane == SC_LANE_HOST)
			g->records.items[i].lane = sc_stream_lane(&o->streams);
}

static void record_events(struct sc_order *o, const struct sc_step *step, struct sc_graph *g)
{
	uint64_t position = step->sequence + 1;

	take_lanes(o, g);
	for (size_t i = 0; i < g->records.count; i++) {
		const struct sc_graph_event *e = &g->records.items[i];
		const struct sc_graph_node *n = sc_graph_at(g, e->node);
		struct sc_point p;

		if (n->is_disabled)
			continue;
		p = record_point(o, g, e, position);
		sc_event_record(&o->events, sc_event_of(&o->events, n->op.object), &p, n->sequence);
		sc_point_put(&o->pool, &p);
	}
}

/* A clock that has the end of the launch has all parts of the launch, and what these waited for. */
static void close_launch(struct sc_order *o, const struct sc_step *step, const struct sc_graph *g)
{
	struct sc_clock **base = &step->stream->tail.base;

	for (size_t i = 0; i < g->waits.count; i++)
		sc_clock_join_point(&o->pool, base, &g->waits.items[i].covers);
	for (size_t i = 0; i < g->records.count; i++)
		sc_clock_raise(&o->pool, base, g->records.items[i].lane, step->sequence + 1);
}

static void enqueue_callbacks(struct sc_order *o, const struct sc_step *step, struct sc_graph *g)
{
	if (g->callbacks.count)
		sc_stream_part_return(step->stream);
	for (size_t i = 0; i < g->callbacks.count; i++) {
		uint32_t node = g->callbacks.items[i];
		const struct sc_graph_node *n = sc_graph_at(g, node);

		if (!n->is_disabled && n->op.link)
			sc_callback_add_node(&o->callbacks, n->op.link - 1, &step->when,
					     sc_host_clock(&o->host, step), g, node);
	}
}

static void follow_last(struct sc_order *o, struct sc_stream *s, const struct sc_exec *e)
{
	if (!sc_stream_knows(s, &e->last))
		sc_clock_join_point(&o->pool, &s->tail.base, &e->last);
}

static void set_last(struct sc_order *o, const struct sc_stream *s, struct sc_exec *e)
{
	sc_point_put(&o->pool, &e->last);
	e->last = sc_point_get(&s->tail);
}

void sc_graph_launch_upload(struct sc_order *o, struct sc_step *step)
{
	struct sc_exec *e = sc_exec_of(&o->execs, step->op->object);

	sc_assert(step->op->kind == SC_OP_GRAPH_UPLOAD);
	follow_last(o, step->stream, e);
	sc_stream_end_kernel(step->stream);
	sc_stream_push(&o->streams, step->stream, step->sequence + 1, &step->when);
	step->is_enqueued = 1;
	set_last(o, step->stream, e);
}

/* What was launched with older parameters goes when nothing refers to those launches any more. */
static void replace_graph(struct sc_order *o, struct sc_exec *e)
{
	struct sc_graph *old = e->graph;

	e->graph = sc_graph_replacement(old);
	sc_graph_put(&o->pool, old);
}

void sc_graph_launch(struct sc_order *o, struct sc_step *step)
{
	struct sc_exec *e = sc_exec_of(&o->execs, step->op->object);
	struct sc_stream *s = step->stream;
	bool is_known = e->graph && sc_graph_seal(e->graph);
	uint64_t before = sc_stream_position_before(s, step->sequence + 1);

	sc_assert(step->op->kind == SC_OP_GRAPH_LAUNCH && e->launched <= step->sequence);
	if (is_known && sc_graph_is_crowded(e->graph, o->execs.few))
		replace_graph(o, e);
	e->before = e->last.position;
	e->lane = e->last.lane;
	follow_last(o, s, e); /* G-6 */
	if (is_known) {
		sc_graph_programmatic_find(e->graph, o->code);
		bind_waits(o, e->graph, step->sequence + 1);
		if (e->graph->is_held)
			sc_order_note_unseen(o, step->sequence + 1, SC_DOUBT_SIGNAL);
		if (e->graph->signals) /* of the launch itself as well */
			sc_order_note_unseen(o, step->sequence + 2, SC_DOUBT_SIGNAL);
	}
	sc_stream_end_kernel(s);
	sc_stream_push(&o->streams, s, step->sequence + 1, &step->when);
	step->is_enqueued = 1;
	sc_clock_set(&o->pool, &o->execs.started, step->when.start);
	sc_clock_raise(&o->pool, &o->execs.started, s->tail.lane,
		       before); /* parts have other lanes */
	step->when.start = o->execs.started;
	if (is_known) {
		record_events(o, step, e->graph);
		close_launch(o, step, e->graph);
		enqueue_callbacks(o, step, e->graph);
	}
	set_last(o, s, e);
	e->launched = step->sequence + 1;
}
