/* Rules 134, 135, 314: graphs that are launched (section 8); graph_node.c checks their nodes. */
#include <stdbool.h>
#include "analyzer/access/replay.h"
#include "analyzer/access/bodies.h"
#include "analyzer/order/graph_launch.h"
#include "analyzer/order/signal_word.h"
#include "analyzer/rules/advice_tally.h"
#include "analyzer/rules/family.h"
#include "analyzer/rules/graph_node.h"
#include "analyzer/rules/lifetime.h"
#include "analyzer/rules/piece.h"
#include "analyzer/rules/race/race.h"
#include "analyzer/rules/rights.h"
#include "analyzer/talk/talk_uses.h"

#define AUTO_FREE     1 /* CUgraphInstantiate_flags */
#define DEVICE_LAUNCH 4
#define CLEAN_TRIES   8 /* launches that collide are looked at in full so often */

struct graphs {
	bool has_memory; /* some memory began in a node */
};

/* ---- memory of nodes (G-13) ---- */

/* What is left of the last launch is freed before this launch, in the stream of this launch. */
static void free_leftover(struct sc_analysis *a, const struct sc_step *step,
			  struct sc_allocation *memory)
{
	sc_lifetime_end_in_stream(a, step, memory);
	sc_memory_end(&a->memory, memory, step->sequence);
}

/* An arena is one allocation, whatever lives one after the other in it. */
static struct sc_allocation *add_arena(struct sc_analysis *a, const struct sc_graph *g,
				       const struct sc_graph_arena *arena)
{
	const struct sc_graph_lifetime *life = &g->topology->lives.all.items[arena->first];
	const struct sc_graph_node *n = sc_graph_at(g, life->begin);
	struct sc_op op = n->op;

	op.dst = arena->start;
	op.bytes = arena->stop - arena->start;
	return sc_memory_add(&a->memory, &op, n->sequence);
}

static void begin_memory(struct graphs *s, struct sc_analysis *a, const struct sc_step *step,
			 const struct sc_graph *g, uint32_t index)
{
	const struct sc_graph_arena *arena = &g->topology->lives.arenas.items[index];
	struct sc_allocation *memory;
	uint64_t unused;

	memory = sc_memory_find(&a->memory, arena->start, &unused);
	if (memory && memory->graph == g->id && memory->arena == index &&
	    memory->home.range.start == arena->start && memory->home.range.end == arena->stop &&
	    !memory->stays)
		return; /* begins and ends in each launch */
	if (memory && memory->graph && memory->stays && g->flags & AUTO_FREE)
		free_leftover(a, step, memory);
	memory = add_arena(a, g, arena);
	if (!memory)
		return;
	s->has_memory = 1;
	memory->graph = g->id;
	memory->arena = index;
	memory->stays = arena->stays;
}

/* SC-135: the driver refuses a launch whose memory is still there from the last one. */
static void check_leftover(struct sc_analysis *a, const struct sc_step *step, struct sc_graph *g)
{
	for (size_t i = 0; i < g->topology->lives.all.count; i++) {
		const struct sc_graph_lifetime *life = &g->topology->lives.all.items[i];
		const struct sc_graph_node *n = sc_graph_at(g, life->begin);
		uint64_t unused;
		const struct sc_allocation *memory =
			sc_memory_find(&a->memory, life->start, &unused);
		struct sc_finding f;

		if (!memory || memory->graph != g->id || life->end != SC_NO_NODE)
			continue;
		f = sc_finding_begin(SC_RULE_135, &n->op, n->sequence, step->op, step->sequence);
		f.side[0].address = n->op.dst;
		f.side[0].bytes = n->op.bytes;
		f.allocation = n->sequence + 1;
		sc_finding_file(a, &f, &n->op, step->op);
		return;
	}
}

/* SC-135: memory that begins and ends inside of a launch is used by something else. */
static void check_outsiders(struct sc_analysis *a, const struct sc_step *step)
{
	for (size_t i = 0; step->is_enqueued && i < a->uses.count; i++) {
		const struct sc_use *use = &a->uses.items[i];
		struct sc_finding f;

		if (!use->allocation->graph || use->allocation->stays)
			continue;
		f = sc_finding_begin(SC_RULE_135, NULL, 0, step->op, step->sequence);
		f.side[0].address = use->shape.base;
		f.side[0].bytes = sc_shape_end(&use->shape) - use->shape.base;
		f.side[0].mode = sc_mode_writes(use->shape.mode) ? SC_SIDE_WRITE : SC_SIDE_READ;
		f.side[0].known = use->shape.known;
		f.allocation = use->allocation->sequence;
		sc_finding_doubt_bytes(&f, use->shape.known);
		sc_finding_file(a, &f, NULL, step->op);
	}
}

/* ---- launches ---- */

/* A launch that failed, or that the program died in, perhaps because of what its nodes refer to. */
static void check_refused(struct sc_analysis *a, const struct sc_step *step, struct sc_graph *g)
{
	if (!sc_graph_seal(g))
		return;
	if (step->op->result == SC_RESULT_INVALID_VALUE)
		check_leftover(a, step, g);
	for (uint32_t i = 0; i < g->places; i++)
		sc_graph_node_check_operands(a, step, sc_graph_at(g, i));
	sc_graph_node_check_events(a, step, g);
}

/* The program died in the instantiation: what its nodes are, the calls say that made them. */
static void take_calls(struct sc_analysis *a, struct sc_graph *g)
{
	for (size_t i = 0; i < g->nodes.count; i++) {
		struct sc_graph_node *n = &g->nodes.items[i];
		struct sc_op made;

		if (!n->op.link || !sc_reader_op(a->reader, n->op.link - 1, &made) ||
		    (made.kind != SC_OP_COPY && made.kind != SC_OP_SET))
			continue;
		n->sequence = n->op.link - 1;
		made.link = n->op.link;
		n->op = made;
	}
}

/* The last node of a graph that the driver refused to instantiate (trace/op.def), which is then
 * gone. */
static void check_refused_graph(struct sc_analysis *a, const struct sc_step *step)
{
	struct sc_exec *e = sc_exec_find(&a->order.execs, step->op->peer);
	struct sc_graph *g = e ? e->graph : NULL;
	struct sc_step made = *step;

	if (!g || !g->made.result || g->nodes.count != g->promised)
		return;
	made.op = &g->made;
	made.sequence = g->sequence;
	if (g->made.result == SC_RESULT_PENDING)
		take_calls(a, g);
	check_refused(a, &made, g);
	sc_graph_launch_forget(&a->order, e);
}

/* Rights were given or taken since the nodes were asked. */
static void check_rights(struct sc_analysis *a, const struct sc_step *step, struct sc_replay *r)
{
	uint64_t changes = sc_rights_changes(a);

	if (r->rights_changes == changes)
		return;
	r->rights_changes = changes;
	for (uint32_t i = 0; i < r->graph->places; i++)
		sc_graph_node_check_rights(a, step, r, r->graph->topology->rows.order[i]);
}

/* The uses of the nodes; collected anew where that is needed. */
static struct sc_replay *replay_of(struct sc_analysis *a, const struct sc_step *step,
				   struct sc_exec *e)
{
	struct sc_replay *r = e->replay;
	bool is_replaced = r && r->graph != e->graph && r->graph->topology == e->graph->topology;
	uint64_t launches = is_replaced ? r->launches : 0;

	if (r && sc_replay_is_valid(r, e->graph, &a->memory)) {
		size_t count = sc_replay_renew(r, &a->memory, &a->kernels);

		check_rights(a, step, r);
		for (size_t i = 0; i < count; i++)
			sc_graph_node_check(a, step, r, r->renewed.items[i]);
		return r;
	}
	sc_replay_free(r, &a->memory);
	r = e->replay = sc_replay_new(e->graph, &a->memory, &a->kernels);
	r->launches = launches; /* the same graph, for those who launch it */
	r->rights_changes = sc_rights_changes(a);
	for (uint32_t i = 0; i < e->graph->places; i++)
		sc_graph_node_check(a, step, r, e->graph->topology->rows.order[i]);
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
	sc_clock_set(&a->order.pool, &n->when.start, sc_clock_all(step->when.start));
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
static bool touch_node(struct sc_analysis *a, struct sc_replay *r, uint32_t place, sc_uses *uses)
{
	const struct sc_replay_part *p = &r->parts[place];

	sc_vector_clear(uses);
	for (uint32_t i = p->first; i < p->first + p->count; i++)
		if (sc_replay_is_stale(r, &r->uses.items[i]))
			sc_vector_push(uses, r->uses.items[i].use);
	if (r->graph->topology->rows.starts)
		sc_race_early(a, uses, r->note, r->graph->current[place], NULL);
	return sc_race_node(a, uses->items, uses->count, r->note, r->graph->current[place]);
}

/* Checks again all that others touched; in each allocation that others touched, one touch for each
 * way of use represents the launch. */
static bool touch_stale(struct sc_analysis *a, struct sc_replay *r)
{
	bool is_clean = 1;
	sc_uses uses = {0};

	for (size_t i = 0; i < r->todo.count; i++)
		is_clean &=
			touch_node(a, r, r->graph->topology->rows.order[r->todo.items[i]], &uses);
	sc_vector_fini(&uses);
	for (size_t i = 0; i < r->ways.count; i++) {
		const struct sc_replay_use *u = &r->uses.items[r->ways.items[i]];

		sc_race_launch(a, &u->use, r->note, u->node);
	}
	sc_replay_settle(r);
	return is_clean;
}

/* Nodes write words that streams wait for: in which launch, with which value, is not followed. */
static void spoil_words(struct sc_analysis *a, struct sc_replay *r)
{
	struct sc_signal_set *s = &a->order.signals;

	if (!s->words.count || (r->words_version == s->words_version && !r->renewed.count))
		return;
	r->words_version = s->words_version;
	for (size_t i = 0; i < r->uses.count; i++) {
		const struct sc_access *shape = &r->uses.items[i].use.shape;

		if (sc_mode_writes(shape->mode))
			sc_signal_word_spoil(s, shape->base, sc_shape_end(shape));
	}
}

static void forget_executed(struct sc_graph *g, bool is_first)
{
	for (uint32_t i = 0; g->executed && i < g->places; i++)
		sc_graph_set_executed(g, i, 0, is_first);
}

/* Which bytes the nodes touch in this launch, where the simulated device executed them: what its
 * records say, and for other nodes what it was before. */
static void take_executed(struct sc_analysis *a, const struct sc_step *step, struct sc_graph *g,
			  bool is_first)
{
	const struct sc_executed *e = &a->kernels.executed;
	const struct sc_executed_launch *n;
	size_t at;

	if (!sc_executed_graph(e, step->sequence, &at))
		forget_executed(g, is_first);
	else
		for (; at; at = n->next) {
			n = sc_executed_node(e, at);
			sc_graph_set_executed(g, n->node - 1, n->is_unclear ? 0 : at, is_first);
		}
	sc_graph_set_bodies(g, e, is_first);
}

static void launch(struct graphs *s, struct sc_analysis *a, const struct sc_step *step,
		   struct sc_exec *e)
{
	struct sc_graph *g = e->graph;
	struct sc_replay *r;
	bool is_full, is_clean = 1;

	for (uint32_t i = 0; i < g->topology->lives.arenas.count; i++)
		begin_memory(s, a, step, g, i);
	sc_graph_node_check_events(a, step, g);
	take_executed(a, step, g, !e->replay);
	r = replay_of(a, step, e);
	sc_piece_check_graph(a, step, r);
	spoil_words(a, r);
	sc_talk_uses_launch(a, step, e->grid, r);
	is_full = !r->note || (!r->is_clean && r->launches < CLEAN_TRIES);
	if (is_full)
		take_note(a, step, r);
	else
		move_note(a, step, r->note);
	if (r->loads)
		sc_race_loads(a, r->note, g->current[r->loads - 1]);
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

/* SC-314: two launches that could overlap if they were not of one executable graph. */
static void count_launch(struct sc_analysis *a, const struct sc_step *step, struct sc_exec *e)
{
	const struct sc_op *op = step->op;
	bool is_over = sc_clock_at(a->order.host.clock, e->lane) >= e->before;
	struct sc_advice_tally *t;

	e->launches++;
	t = sc_advice_tally_count(a, SC_RULE_314, op, step->sequence,
				  e->stream && e->stream != op->stream && !is_over);
	if (t)
		t->fix = SC_FIX_GRAPH_EACH;
	e->stream = op->stream;
}

/* SC-314: an instantiation that was launched once, unless the device may have launched it (G-14).
 */
static void count_use(struct sc_analysis *a, const struct sc_exec *e)
{
	struct sc_advice_tally *t;

	if (!e->graph || !e->launches || e->graph->made.value & DEVICE_LAUNCH)
		return;
	t = sc_advice_tally_count(a, SC_RULE_314, &e->graph->made, e->graph->sequence,
				  e->launches == 1);
	if (t)
		t->fix = SC_FIX_KEEP_GRAPH;
}

static void drop(struct sc_analysis *a, struct sc_exec *e)
{
	sc_replay_free(e->replay, &a->memory);
	e->replay = NULL;
}

/* G-11: what it runs goes on; the handle is no more. */
static void destroy(struct sc_analysis *a, const struct sc_op *op)
{
	struct sc_exec *e = sc_exec_find(&a->order.execs, op->object);

	if (!e || !sc_op_took_effect(op))
		return;
	count_use(a, e);
	drop(a, e);
	sc_graph_launch_forget(&a->order, e);
}

/* Memory that begins in a node is not for others. */
static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	const struct graphs *s = state;

	(void)a;
	return s->has_memory;
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct graphs *s = state;
	const struct sc_op *op = &r->op;
	struct sc_exec *e;

	if (op->kind == SC_OP_GRAPH_DESTROY)
		destroy(a, op);
	if (op->flags & SC_FLAG_NODE)
		check_refused_graph(a, step);
	if (op->kind != SC_OP_GRAPH_LAUNCH) {
		if (s->has_memory)
			check_outsiders(a, step);
		return;
	}
	e = sc_exec_find(&a->order.execs, op->object);
	if (op->result && e && e->graph && !(op->flags & SC_FLAG_CAPTURED))
		check_refused(a, step, e->graph);
	if (!step->is_enqueued)
		return;
	if (e)
		count_launch(a, step, e);
	if (e && e->graph &&
	    (e->graph->topology->rows.is_large || e->graph->topology->rows.is_vague ||
	     e->graph->topology->lives.is_tangled))
		a->coverage.unknown_calls++; /* taken as ordered inside, or as in use */
	if (!e || !e->graph || e->graph->is_broken)
		count_opaque(a);
	else
		launch(s, a, step, e);
}

static void finish(void *state, struct sc_analysis *a)
{
	(void)state;
	for (struct sc_exec *e = a->order.execs.by_id; e; e = e->hh.next)
		drop(a, e);
}

const struct sc_rule_family sc_rules_graph = {
	.state_bytes = sizeof(struct graphs),
	.sees_routine = sees_routine,
	.step = check_record,
	.finish = finish,
};
