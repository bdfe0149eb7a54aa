/* What orders ops between the two sides of a finding.
 *
 * Forwards from the first side, then backwards from the second: which streams, events and host
 * waits are known to come after the first side, or before the second. Where neither walk reaches,
 * the chain breaks.
 */
#include "reports/html/html_graph.h"

#include <stdbool.h>
#include <string.h>

#define LOOKED_AT 4096 /* ops between the two sides */
#define KNOWN_MAX 32   /* streams and events on a chain */

/* A small set of ids. */
struct set {
	uint32_t ids[KNOWN_MAX];
	unsigned count;
};

static bool has(const struct set *s, uint32_t id)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->ids[i] == id)
			return 1;
	return 0;
}

static void set_add(struct set *s, uint32_t id)
{
	if (id && !has(s, id) && s->count < KNOWN_MAX)
		s->ids[s->count++] = id;
}

static void set_remove(struct set *s, uint32_t id)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->ids[i] == id)
			s->ids[i--] = s->ids[--s->count];
}

/* What one of the two chains has reached. */
struct chain {
	struct set streams, events;
	bool host;
	uint32_t context;
};

/* The ops between, and their marks. */
struct between {
	const struct sc_html_op *ops[LOOKED_AT];
	uint8_t marks[LOOKED_AT];
	unsigned count;
};

static bool took_effect(const struct sc_op *op)
{
	return op->result == 0 && !(op->flags & SC_FLAG_CAPTURED) && op->phase != SC_PHASE_BEGIN;
}

/* True if a host wait covers something that the chain has reached. */
static bool covers(const struct sc_op *op, const struct chain *c)
{
	if (op->kind == SC_OP_CONTEXT_SYNC)
		return op->context == c->context;
	if (op->kind == SC_OP_EVENT_SYNC || op->kind == SC_OP_EVENT_QUERY)
		return has(&c->events, op->object);
	return has(&c->streams, op->stream);
}

/* One op forwards: true if it comes after the first side. */
static bool carries(const struct sc_op *op, struct chain *c)
{
	bool is_reached;

	switch (op->kind) {
	case SC_OP_EVENT_RECORD:
		is_reached = c->host || has(&c->streams, op->stream);
		if (is_reached)
			set_add(&c->events, op->object);
		else
			set_remove(&c->events, op->object);
		return is_reached;
	case SC_OP_EVENT_WAIT:
		is_reached = c->host || has(&c->events, op->object) || has(&c->streams, op->stream);
		if (is_reached)
			set_add(&c->streams, op->stream);
		return is_reached;
	default:
		is_reached = covers(op, c);
		c->host |= is_reached;
		return is_reached;
	}
}

/* One op backwards: true if the second side comes after it. */
static bool precedes(const struct sc_op *op, struct chain *c)
{
	switch (op->kind) {
	case SC_OP_EVENT_RECORD:
		if (!has(&c->events, op->object))
			return 0;
		set_remove(&c->events, op->object);
		set_add(&c->streams, op->stream);
		return 1;
	case SC_OP_EVENT_WAIT:
		if (!has(&c->streams, op->stream))
			return 0;
		set_add(&c->events, op->object);
		return 1;
	default:
		if (op->kind == SC_OP_EVENT_SYNC || op->kind == SC_OP_EVENT_QUERY)
			set_add(&c->events, op->object);
		else
			set_add(&c->streams, op->stream);
		return 1;
	}
}

static struct chain chain_at(const struct sc_side *side, uint32_t context)
{
	struct chain c = {.host = !side->stream, .context = context};

	set_add(&c.streams, side->stream);
	return c;
}

static void look_between(struct between *b, struct sc_html_graph *g, const struct sc_html_walk *w,
			 const struct sc_finding *f)
{
	for (size_t i = sc_html_walk_find(w, sc_finding_shown(f, 0) + 1); i < w->ops.count; i++) {
		const struct sc_html_op *op = &w->ops.items[i];

		if (op->sequence >= sc_finding_shown(f, 1))
			return;
		if (!sc_html_is_order(&op->op) || !took_effect(&op->op))
			continue;
		if (b->count == LOOKED_AT) {
			g->is_cut = 1;
			return;
		}
		b->ops[b->count++] = op;
	}
}

static uint32_t context_of(const struct sc_html_walk *w, uint64_t sequence)
{
	size_t i = sc_html_walk_find(w, sequence);

	return i < w->ops.count && w->ops.items[i].sequence == sequence ? w->ops.items[i].op.context
									: 0;
}

static void mark_chains(struct between *b, const struct sc_html_walk *w, const struct sc_finding *f)
{
	struct chain after = chain_at(&f->side[0], context_of(w, sc_finding_shown(f, 0)));
	struct chain before = chain_at(&f->side[1], 0);

	for (unsigned i = 0; i < b->count; i++)
		if (carries(&b->ops[i]->op, &after))
			b->marks[i] |= SC_HTML_AFTER;
	for (unsigned i = b->count; i-- > 0;)
		if (precedes(&b->ops[i]->op, &before))
			b->marks[i] |= SC_HTML_BEFORE;
}

static void insert(struct sc_html_graph *g, const struct sc_html_op *op, unsigned marks)
{
	unsigned at = g->node_count;

	for (unsigned i = 0; i < g->node_count; i++)
		if (g->nodes[i].op == op) {
			g->nodes[i].marks |= marks;
			return;
		}
	if (g->node_count == SC_HTML_NODES) {
		g->left_out++;
		return;
	}
	while (at && g->nodes[at - 1].op->sequence > op->sequence)
		at--;
	memmove(&g->nodes[at + 1], &g->nodes[at], (g->node_count - at) * sizeof(*g->nodes));
	g->nodes[at] = (struct sc_html_node){op, marks};
	g->node_count++;
}

/* A wait is shown by its end, where its result is known; a call that never returned is shown by its
 * begin. */
static const struct sc_html_op *op_at(const struct sc_html_walk *w, uint64_t sequence)
{
	size_t i = sc_html_walk_find(w, sequence);
	const struct sc_html_op *op;

	if (i == w->ops.count || w->ops.items[i].sequence != sequence)
		return NULL;
	op = &w->ops.items[i];
	if (op->op.phase != SC_PHASE_BEGIN || sc_op_kind_class(op->op.kind) != SC_CLASS_WAIT)
		return op;
	for (size_t j = i + 1; j < w->ops.count && j < i + LOOKED_AT; j++)
		if (w->ops.items[j].op.phase == SC_PHASE_END &&
		    w->ops.items[j].op.link == sequence + 1)
			return &w->ops.items[j];
	return op;
}

static void insert_at(struct sc_html_graph *g, const struct sc_html_walk *w, uint64_t sequence_plus,
		      unsigned marks)
{
	const struct sc_html_op *op = sequence_plus ? op_at(w, sequence_plus - 1) : NULL;

	if (op)
		insert(g, op, marks);
}

/* Both ends of the gap matter most: the last ops before the second, the first ones after the first.
 */
static void insert_chains(struct sc_html_graph *g, const struct between *b)
{
	for (unsigned i = 0; i < b->count; i++) {
		unsigned far = b->count - 1 - i;

		if (b->marks[i] & SC_HTML_AFTER)
			insert(g, b->ops[i], b->marks[i]);
		if (b->marks[far] & SC_HTML_BEFORE)
			insert(g, b->ops[far], b->marks[far]);
	}
}

static void add_edge(struct sc_html_graph *g, unsigned from, unsigned to,
		     enum sc_html_edge_kind kind)
{
	if (g->edge_count < sizeof(g->edges) / sizeof(*g->edges))
		g->edges[g->edge_count++] = (struct sc_html_edge){from, to, kind};
}

static bool is_work_of(const struct sc_op *op, uint32_t stream)
{
	return op->stream == stream && stream && sc_op_kind_class(op->kind) == SC_CLASS_ENQUEUE;
}

static bool is_record_of(const struct sc_op *op, uint32_t event)
{
	return op->kind == SC_OP_EVENT_RECORD && op->object == event;
}

/* The edges that end in a node. */
static void connect(struct sc_html_graph *g, const struct between *b, unsigned to)
{
	const struct sc_op *op = &g->nodes[to].op->op;
	const struct sc_html_op *record = NULL;
	bool is_event = op->kind == SC_OP_EVENT_WAIT || op->kind == SC_OP_EVENT_SYNC ||
			op->kind == SC_OP_EVENT_QUERY;
	bool is_enqueued = sc_op_kind_class(op->kind) == SC_CLASS_ENQUEUE;

	for (unsigned i = 0; i < b->count; i++)
		if (is_record_of(&b->ops[i]->op, op->object) &&
		    b->ops[i]->sequence < g->nodes[to].op->sequence)
			record = b->ops[i];
	for (unsigned i = to; i-- > 0;)
		if (is_work_of(&g->nodes[i].op->op, op->stream)) {
			if (is_enqueued || took_effect(op))
				add_edge(g, i, to, is_enqueued ? SC_HTML_STREAM : SC_HTML_WAIT);
			break;
		}
	for (unsigned i = to; i-- > 0 && is_event && took_effect(op);)
		if (is_record_of(&g->nodes[i].op->op, op->object)) {
			if (!record || record == g->nodes[i].op)
				add_edge(g, i, to, is_enqueued ? SC_HTML_EVENT : SC_HTML_WAIT);
			break;
		}
}

/* A device-wide wait covers the last op of every stream of its context. */
static void connect_context(struct sc_html_graph *g, unsigned to)
{
	const struct sc_op *op = &g->nodes[to].op->op;
	struct set seen = {0};

	if (op->kind != SC_OP_CONTEXT_SYNC || !took_effect(op))
		return;
	for (unsigned i = to; i-- > 0;) {
		const struct sc_op *work = &g->nodes[i].op->op;

		if (!is_work_of(work, work->stream) || work->context != op->context ||
		    has(&seen, work->stream))
			continue;
		set_add(&seen, work->stream);
		add_edge(g, i, to, SC_HTML_WAIT);
	}
}

/* A programmatic launch, or a source that is read out of order, is not ordered after what its
 * stream holds: no way may lead from the first side to the second. Edges lead forwards. */
static void break_chain(struct sc_html_graph *g)
{
	unsigned reached = 0, kept = 0;

	for (unsigned i = 0; i < g->node_count; i++) {
		reached |= (g->nodes[i].marks & SC_HTML_FIRST ? 1U : 0U) << i;
		for (unsigned j = 0; j < g->edge_count; j++)
			if (g->edges[j].to == i && reached >> g->edges[j].from & 1)
				reached |= 1U << i;
	}
	for (unsigned j = 0; j < g->edge_count; j++) {
		const struct sc_html_edge *e = &g->edges[j];

		if (!(g->nodes[e->to].marks & SC_HTML_SECOND) || !(reached >> e->from & 1))
			g->edges[kept++] = *e;
	}
	g->edge_count = kept;
}

void sc_html_graph_init(struct sc_html_graph *g, const struct sc_html_walk *w,
			const struct sc_finding *f)
{
	struct between b;

	*g = (struct sc_html_graph){.is_cut = w->is_cut};
	b.count = 0;
	insert_at(g, w, sc_finding_shown(f, 0) + 1, SC_HTML_FIRST);
	if (f->sides > 1) {
		insert_at(g, w, sc_finding_shown(f, 1) + 1, SC_HTML_SECOND);
		look_between(&b, g, w, f);
		memset(b.marks, 0, b.count);
		mark_chains(&b, w, f);
	}
	insert_at(g, w, f->reach_op, SC_HTML_NEAREST);
	insert_at(g, w, f->reach_record, 0);
	if (f->fix == SC_FIX_MOVE) {
		insert_at(g, w, f->fix_before, 0);
		insert_at(g, w, f->fix_after, 0);
	}
	insert_chains(g, &b);
	for (unsigned i = 0; i < g->node_count; i++) {
		connect(g, &b, i);
		connect_context(g, i);
	}
	if (sc_finding_lacks_order(f))
		break_chain(g);
}
