/* Rules 134 to 136, 314, 323: graphs that are launched (section 8). */
#include <stdlib.h>
#include "analyzer/replay.h"
#include "analyzer/rules/misuse.h"
#include "analyzer/rules/race.h"
#include "analyzer/rules/tally.h"

#define AUTO_FREE     1 /* CUgraphInstantiate_flags */
#define INVALID_VALUE 1
#define CLEAN_TRIES   8 /* launches that collide are looked at in full so often */
#define NO_NODE	      UINT32_MAX

/* A finding about one node of a launch. */
static struct sc_finding begin_node(const struct sc_graph_node *n, unsigned rule,
				    const struct sc_step *step)
{
	struct sc_finding f = sc_finding_begin(rule, NULL, 0, &n->op, n->sequence);

	f.side[0].launch = step->sequence + 1;
	f.side[0].stream = step->op->stream;
	f.side[0].thread = step->op->thread;
	return f;
}

/* ---- memory of nodes (G-13) ---- */

static uint32_t node_that_ends(const struct sc_graph *g, uint64_t address)
{
	for (uint32_t i = 0; i < g->places; i++) {
		const struct sc_op *op = &sc_graph_at(g, i)->op;

		if (op->kind == SC_OP_FREE_ASYNC && op->dst == address)
			return i;
	}
	return NO_NODE;
}

/* What is left of the last launch is freed in front of this one, in its stream. */
static void free_leftover(struct sc_analysis *a, const struct sc_step *step,
			  struct sc_allocation *memory)
{
	sc_lifetime_end_in_stream(a, step, memory);
	sc_memory_end(&a->memory, memory, step->sequence);
}

static void begin_memory(struct sc_analysis *a, const struct sc_step *step,
			 const struct sc_graph *g, uint32_t node)
{
	const struct sc_graph_node *n = sc_graph_at(g, node);
	struct sc_allocation *memory;
	uint64_t unused;

	memory = sc_memory_find(&a->memory, n->op.dst, &unused);
	if (memory && memory->graph == g->id && memory->begin == node && memory->end != NO_NODE)
		return; /* begins and ends in each launch */
	if (memory && memory->graph && memory->end == NO_NODE && g->flags & AUTO_FREE)
		free_leftover(a, step, memory);
	memory = sc_memory_add(&a->memory, &n->op, n->sequence);
	if (!memory)
		return;
	a->has_graph_memory = 1;
	memory->graph = g->id;
	memory->begin = node;
	memory->end = node_that_ends(g, n->op.dst);
}

/* V-135: the driver refuses a launch whose memory is still there from the last one. */
static void check_leftover(struct sc_analysis *a, const struct sc_step *step, struct sc_graph *g)
{
	for (size_t i = 0; i < g->allocations.count; i++) {
		const struct sc_graph_node *n = sc_graph_at(g, g->allocations.items[i]);
		uint64_t unused;
		const struct sc_allocation *memory = sc_memory_find(&a->memory, n->op.dst, &unused);
		struct sc_finding f;

		if (!memory || memory->graph != g->id || memory->end != NO_NODE)
			continue;
		f = sc_finding_begin(SC_RULE_135, &n->op, n->sequence, step->op, step->sequence);
		f.side[0].address = n->op.dst;
		f.side[0].bytes = n->op.bytes;
		f.allocation = memory->sequence;
		sc_finding_file(a, &f, &n->op, step->op);
		return;
	}
}

/* V-135: a node that comes before the node that begins its memory, or behind the one that ends it.
 */
static void check_life(struct sc_analysis *a, const struct sc_step *step, const struct sc_graph *g,
		       const struct sc_replay_use *u)
{
	const struct sc_allocation *memory = u->use.allocation;
	const struct sc_graph_node *n = &g->nodes.items[u->node], *other;
	uint32_t wrong = NO_NODE;
	struct sc_finding f;

	if (memory->graph != g->id || u->node == memory->begin || u->node == memory->end ||
	    g->rows.is_large)
		return;
	if (sc_graph_reaches(g, u->node, memory->begin))
		wrong = memory->begin;
	else if (memory->end != NO_NODE && sc_graph_reaches(g, memory->end, u->node))
		wrong = memory->end;
	if (wrong == NO_NODE)
		return;
	other = &g->nodes.items[wrong];
	f = sc_finding_begin(SC_RULE_135, &other->op, other->sequence, &n->op, n->sequence);
	f.side[0].launch = f.side[1].launch = step->sequence + 1;
	f.side[0].stream = f.side[1].stream = step->op->stream;
	f.side[0].mode = wrong == memory->end ? SC_SIDE_FREE : SC_SIDE_WRITE;
	f.side[1].address = u->use.shape.base;
	f.side[1].bytes = sc_shape_end(&u->use.shape) - u->use.shape.base;
	f.side[1].mode = sc_mode_writes(u->use.shape.mode) ? SC_SIDE_WRITE : SC_SIDE_READ;
	f.side[1].known = u->use.shape.known;
	f.allocation = memory->sequence;
	if (u->use.shape.known != SC_KNOWN_EXACT) {
		f.confidence = SC_POSSIBLE;
		f.doubt = u->use.shape.known == SC_KNOWN_OVER ? SC_DOUBT_OVER : SC_DOUBT_FOOTPRINT;
	}
	sc_finding_file(a, &f, &other->op, &n->op);
}

/* V-135: memory that begins and ends inside of a launch is used by something else. */
static void check_outsiders(struct sc_analysis *a, const struct sc_step *step)
{
	for (size_t i = 0; step->is_enqueued && i < a->uses.count; i++) {
		const struct sc_use *use = &a->uses.items[i];
		struct sc_finding f;

		if (!use->allocation->graph || use->allocation->end == NO_NODE)
			continue;
		f = sc_finding_begin(SC_RULE_135, NULL, 0, step->op, step->sequence);
		f.side[0].address = use->shape.base;
		f.side[0].bytes = sc_shape_end(&use->shape) - use->shape.base;
		f.side[0].mode = sc_mode_writes(use->shape.mode) ? SC_SIDE_WRITE : SC_SIDE_READ;
		f.side[0].known = use->shape.known;
		f.allocation = use->allocation->sequence;
		if (use->shape.known != SC_KNOWN_EXACT) {
			f.confidence = SC_POSSIBLE;
			f.doubt = use->shape.known == SC_KNOWN_OVER ? SC_DOUBT_OVER
								    : SC_DOUBT_FOOTPRINT;
		}
		sc_finding_file(a, &f, NULL, step->op);
	}
}

/* ---- operands that died (V-136) ---- */

static void file_dead(struct sc_analysis *a, const struct sc_step *step,
		      const struct sc_graph_node *n, uint64_t address, uint8_t mode,
		      const struct sc_allocation *dead)
{
	struct sc_finding f = begin_node(n, SC_RULE_136, step);

	f.side[0].address = address;
	f.side[0].bytes = n->op.bytes;
	f.side[0].mode = mode;
	f.allocation = dead->sequence;
	sc_finding_add_earlier(&f, dead->freed - 1, SC_SIDE_FREE);
	sc_finding_file(a, &f, NULL, &n->op);
}

static void check_operand(struct sc_analysis *a, const struct sc_step *step,
			  const struct sc_graph_node *n, uint64_t address, uint8_t mode)
{
	const struct sc_allocation *dead;
	uint64_t unused;

	if (!address || sc_memory_find(&a->memory, address, &unused))
		return;
	dead = sc_memory_find_dead(&a->memory, address);
	if (dead && dead->kind != SC_MEM_REGISTERED)
		file_dead(a, step, n, address, mode, dead);
}

static void check_event(struct sc_analysis *a, const struct sc_step *step,
			const struct sc_graph_node *n)
{
	struct sc_finding f;

	if (!sc_misuse_is_dead_event(a, n->op.object))
		return;
	f = begin_node(n, SC_RULE_136, step);
	sc_finding_file(a, &f, NULL, &n->op);
}

static void check_operands(struct sc_analysis *a, const struct sc_step *step,
			   const struct sc_graph_node *n)
{
	if (n->is_disabled || (n->op.kind != SC_OP_COPY && n->op.kind != SC_OP_SET))
		return;
	check_operand(a, step, n, n->op.src, SC_SIDE_READ);
	check_operand(a, step, n, n->op.dst, SC_SIDE_WRITE);
}

static void check_events(struct sc_analysis *a, const struct sc_step *step,
			 const struct sc_graph *g)
{
	for (size_t i = 0; a->gone && i < g->records.count; i++)
		check_event(a, step, sc_graph_at(g, g->records.items[i].node));
	for (size_t i = 0; a->gone && i < g->waits.count; i++)
		check_event(a, step, sc_graph_at(g, g->waits.items[i].node));
}

/* ---- launches ---- */

/* A launch that failed, perhaps because of what its nodes refer to. */
static void check_refused(struct sc_analysis *a, const struct sc_step *step, struct sc_graph *g)
{
	if (step->op->result == SC_RESULT_PENDING || !sc_graph_seal(g))
		return;
	if (step->op->result == INVALID_VALUE)
		check_leftover(a, step, g);
	for (uint32_t i = 0; i < g->places; i++)
		check_operands(a, step, sc_graph_at(g, i));
	check_events(a, step, g);
}

/* V-323: a programmatic edge out of a kernel that never triggers. */
static void check_edges(struct sc_analysis *a, const struct sc_step *step, const struct sc_graph *g,
			uint32_t place)
{
	const struct sc_edges *e = &g->rows.edges;
	const struct sc_graph_node *n = sc_graph_at(g, place);
	struct sc_finding f;

	if (!g->rows.sorted || n->is_disabled || n->op.flags & SC_FLAG_LIBRARY)
		return;
	for (uint32_t k = e->first[place]; k < e->first[place + 1]; k++) {
		unsigned grid;

		if (e->ports[k] != SC_PORT_TRIGGER)
			continue;
		grid = sc_code_grid(&a->kernels.code, sc_graph_at(g, e->list[k])->op.object);
		if (!(grid & SC_GRID_KNOWN) || grid & SC_GRID_TRIGGER)
			continue;
		f = begin_node(n, SC_RULE_323, step);
		sc_finding_file(a, &f, NULL, &n->op);
		return;
	}
}

/* What is asked of a node whose uses were collected. */
static void check_node(struct sc_analysis *a, const struct sc_step *step, const struct sc_replay *r,
		       uint32_t place)
{
	const struct sc_replay_part *p = &r->parts[place];

	check_operands(a, step, sc_graph_at(r->graph, place));
	check_edges(a, step, r->graph, place);
	for (uint32_t i = p->first; i < p->first + p->count; i++)
		if (r->uses.items[i].use.allocation->graph)
			check_life(a, step, r->graph, &r->uses.items[i]);
}

/* The uses of the nodes; collected anew where that is needed. */
static struct sc_replay *replay_of(struct sc_analysis *a, const struct sc_step *step,
				   struct sc_exec *e)
{
	struct sc_replay *r = e->replay;

	if (r && sc_replay_is_valid(r, e->graph, &a->memory)) {
		size_t count = sc_replay_renew(r, &a->memory, &a->kernels);

		for (size_t i = 0; i < count; i++)
			check_node(a, step, r, r->renewed.items[i]);
		return r;
	}
	sc_replay_free(r, &a->memory);
	r = e->replay = sc_replay_new(e->graph, &a->memory, &a->kernels);
	for (uint32_t i = 0; i < e->graph->places; i++)
		check_node(a, step, r, e->graph->rows.order[i]);
	return r;
}

/* A note for a launch that is looked at in full. */
static void take_note(struct sc_analysis *a, const struct sc_step *step, struct sc_replay *r)
{
	if (r->note)
		sc_note_put(&a->memory.notes, r->note);
	r->note = sc_race_note(a, step, 0);
	r->note->graph = sc_graph_get(r->graph);
	r->note->is_replay = 1;
	sc_vector_clear(&r->graph->retired); /* the old note stays where it is */
}

/* The touches of the last launch become this one's. */
static void move_note(struct sc_analysis *a, const struct sc_step *step, struct sc_note *n)
{
	sc_note_leave(n);
	sc_clock_set(&a->order.pool, &n->when.start, step->when.start);
	n->when.lane = step->when.lane;
	n->when.position = step->when.position;
	n->when.entered = step->when.entered;
	n->sequence = step->sequence;
	n->op = *step->op;
	n->context = step->stream->context->id;
	n->is_legacy = sc_stream_is_legacy(step->stream);
	n->is_nonblocking = (step->stream->flags & SC_FLAG_NON_BLOCKING) != 0;
}

/* The uses of a place that others touched. */
static _Bool touch_node(struct sc_analysis *a, struct sc_replay *r, uint32_t place, sc_uses *uses)
{
	const struct sc_replay_part *p = &r->parts[place];

	sc_vector_clear(uses);
	for (uint32_t i = p->first; i < p->first + p->count; i++)
		if (sc_replay_is_stale(r, &r->uses.items[i]))
			sc_vector_push(uses, r->uses.items[i].use);
	return sc_race_node(a, uses->items, uses->count, r->note, r->graph->current[place]);
}

/* All that others touched is looked at again; one touch a way of use stands for the launch in each
 * allocation that others touched. */
static _Bool touch_stale(struct sc_analysis *a, struct sc_replay *r)
{
	_Bool is_clean = 1;
	sc_uses uses = {0};

	for (size_t i = 0; i < r->todo.count; i++)
		is_clean &= touch_node(a, r, r->graph->rows.order[r->todo.items[i]], &uses);
	sc_vector_fini(&uses);
	for (size_t i = 0; i < r->ways.count; i++) {
		const struct sc_replay_use *u = &r->uses.items[r->ways.items[i]];

		sc_race_launch(a, &u->use, r->note, u->node);
	}
	sc_replay_settle(r);
	return is_clean;
}

static void launch(struct sc_analysis *a, const struct sc_step *step, struct sc_exec *e)
{
	struct sc_graph *g = e->graph;
	struct sc_replay *r;
	_Bool is_full, is_clean = 1;

	for (size_t i = 0; i < g->allocations.count; i++)
		begin_memory(a, step, g, g->allocations.items[i]);
	check_events(a, step, g);
	r = replay_of(a, step, e);
	is_full = !r->note || (!r->is_clean && r->launches < CLEAN_TRIES);
	if (is_full)
		take_note(a, step, r);
	else
		move_note(a, step, r->note);
	r->launches++;
	if (sc_replay_refresh(r, is_full))
		is_clean = touch_stale(a, r);
	r->is_clean = is_clean && (is_full || r->is_clean);
}

/* A graph that was not read, or makes no sense: what it touches is not known. */
static void count_opaque(struct sc_analysis *a)
{
	a->coverage.unknown_calls++;
	a->order.has_hidden_records = 1;
}

/* V-314: two launches that could overlap if they were not of one executable graph. */
static void count_launch(struct sc_analysis *a, const struct sc_step *step, struct sc_exec *e)
{
	const struct sc_op *op = step->op;
	_Bool is_over = sc_clock_at(a->order.host.clock, e->lane) >= e->before;

	e->launches++;
	sc_tally_count(a, SC_RULE_314, op, step->sequence,
		       e->stream && e->stream != op->stream && !is_over);
	e->stream = op->stream;
}

/* V-314: an instantiation that was launched once. */
static void count_use(struct sc_analysis *a, const struct sc_exec *e)
{
	if (e->graph && e->launches)
		sc_tally_count(a, SC_RULE_314, &e->graph->made, e->graph->sequence,
			       e->launches == 1);
}

static void drop(struct sc_analysis *a, struct sc_exec *e)
{
	sc_replay_free(e->replay, &a->memory);
	e->replay = NULL;
}

/* G-11: what it runs goes on; the handle is no more. */
static void destroy(struct sc_analysis *a, const struct sc_op *op)
{
	struct sc_exec *e = sc_exec_find(&a->order, op->object);

	if (!e || !sc_op_took_effect(op))
		return;
	count_use(a, e);
	drop(a, e);
	sc_exec_forget(&a->order, e);
}

void sc_rules_graph_step(struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	const struct sc_op *op = &r->op;
	struct sc_exec *e;

	if (op->kind == SC_OP_GRAPH_DESTROY)
		destroy(a, op);
	if (op->kind != SC_OP_GRAPH_LAUNCH) {
		check_outsiders(a, step);
		return;
	}
	e = sc_exec_find(&a->order, op->object);
	if (op->result && e && e->graph && !(op->flags & SC_FLAG_CAPTURED))
		check_refused(a, step, e->graph);
	if (!step->is_enqueued)
		return;
	if (e)
		count_launch(a, step, e);
	if (e && e->graph && (e->graph->rows.is_large || e->graph->rows.is_vague))
		a->coverage.unknown_calls++; /* taken as ordered inside */
	if (!e || !e->graph || e->graph->is_broken)
		count_opaque(a);
	else
		launch(a, step, e);
}

void sc_rules_graph_finish(struct sc_analysis *a)
{
	for (struct sc_exec *e = a->order.execs.by_id; e; e = e->hh.next)
		drop(a, e);
}
