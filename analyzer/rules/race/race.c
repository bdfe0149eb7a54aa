/* Rules 101 to 114, 124, 125, 139, 149, 153, 201, 203, 204, 208, 209: two unordered ops on the same
 * bytes (race_base.c says which rule it is, race_cause.c why, race_doubt.c how sure). */
#include "analyzer/rules/race/race.h"

#include <stdbool.h>
#include "analyzer/model/memory_word.h"
#include "analyzer/rules/family.h"
#include "analyzer/rules/race/race_held.h"
#include "analyzer/rules/race/race_loaded.h"
#include "analyzer/talk/talk_uses.h"

/* What the family remembers. */
struct state {
	struct sc_held_races held;
	struct sc_loaded_launches loaded;
};

static struct state *state_of(struct sc_analysis *a)
{
	return sc_family_state(a, SC_FAMILY_race);
}

void sc_race_loads(struct sc_analysis *a, struct sc_note *note, uint32_t node)
{
	sc_race_loaded_note(&state_of(a)->loaded, a, note, node);
}

void sc_race_check_loads(struct sc_analysis *a, const struct sc_allocation *memory,
			 const struct sc_touch *touch)
{
	sc_race_loaded_check(&state_of(a)->loaded, a, memory, touch);
}

/* A note of the step's op without the op. */
static inline struct sc_note *make_note(struct sc_analysis *a, const struct sc_step *step,
					bool is_host)
{
	struct sc_note *n = sc_note_new(&a->memory.notes, step->op, step->sequence,
					is_host ? &step->host : &step->when);

	n->is_callback = is_host && step->inside;
	if (n->is_callback && step->inside->graph)
		n->graph = sc_graph_get(step->inside->graph);
	if (is_host)
		return n;
	n->source_staged = step->transfer.source_staged && !a->machine.reads_pageable;
	n->result_waited = step->transfer.result_waited;
	n->edge = step->transfer.edge;
	if (step->stream) {
		n->is_legacy = sc_stream_is_legacy(step->stream);
		n->is_nonblocking = step->stream->flags & SC_FLAG_NON_BLOCKING;
		n->context = step->stream->context->id;
	}
	return n;
}

struct sc_note *sc_race_note(struct sc_analysis *a, const struct sc_step *step, bool is_host)
{
	struct sc_note *n = make_note(a, step, is_host);

	sc_note_set_op(n, step->op);
	return n;
}

static uint8_t side_mode(const struct sc_touch *t)
{
	if (sc_touch_is_end(t))
		return SC_SIDE_FREE;
	return sc_mode_writes(t->mode) ? SC_SIDE_WRITE : SC_SIDE_READ;
}

/* The op that a side shows: a launch's node. */
static uint64_t sequence_of(const struct sc_touch *t)
{
	return t->note->is_replay ? t->note->graph->nodes.items[t->node].sequence
				  : t->note->sequence;
}

static void set_side(struct sc_side *side, const struct sc_touch *t, const struct sc_conflict *c,
		     uint8_t mode)
{
	side->launch = t->note->is_replay ? t->note->sequence + 1 : 0;
	side->stream = t->note->op.stream;
	side->thread = t->note->op.thread;
	side->address = c->first;
	side->bytes = c->end - c->first;
	side->mode = mode;
	side->known = t->known;
	side->how = t->how;
	side->reason = t->reason;
	if (sc_note_is_host(t->note))
		side->stream = 0;
}

static bool is_of_host_memory(const struct sc_allocation *memory)
{
	return memory->kind == SC_MEM_PINNED || memory->kind == SC_MEM_REGISTERED ||
	       memory->kind == SC_MEM_PAGEABLE;
}

/* Host memory is none of an allocator's that keeps device memory: what that asked for its own
 * blocks orders no use of it. */
struct sc_note *sc_race_note_of(struct sc_analysis *a, const struct sc_step *step, bool is_host,
				const struct sc_allocation *memory)
{
	struct sc_clock *start = is_host ? step->host.start : step->when.start;
	struct sc_note *n = sc_race_note(a, step, is_host);

	if (is_of_host_memory(memory))
		sc_clock_set(&a->order.pool, &n->when.start, sc_clock_sure(start));
	return n;
}

static uint64_t faulted(struct sc_analysis *a, const struct sc_note *n)
{
	return sc_context_of(&a->order.streams, n->context)->faulted;
}

/* SC-208: after an error that was reported before, the host reads what the device was to write. */
static void check_unfinished(struct sc_analysis *a, const struct sc_conflict *c,
			     const struct sc_touch *later)
{
	struct sc_note *n = c->earlier.note, *m = later->note;
	struct sc_finding f;

	if (!sc_note_is_host(m) || later->mode != SC_READ ||
	    c->earlier.known == SC_KNOWN_PARAMETER || faulted(a, n) <= n->sequence + 1)
		return;
	f = sc_finding_begin(SC_RULE_208, &n->op, n->sequence, &m->op, m->sequence);
	set_side(&f.side[0], &c->earlier, c, SC_SIDE_WRITE);
	set_side(&f.side[1], later, c, SC_SIDE_READ);
	f.confidence = SC_POSSIBLE;
	f.doubt = SC_DOUBT_FAULTED;
	sc_finding_file(a, &f, &n->op, &m->op);
}

/* SC_REACH_REUSED: between the two, the memory went back to a pool and was handed out again. */
static void explain_reuse(struct sc_analysis *a, const struct sc_conflict *c,
			  const struct sc_touch *later, struct sc_finding *f)
{
	const struct sc_pieces *pieces = &a->memory.pieces;
	uint64_t before = sc_touch_note(&c->earlier)->sequence;
	const struct sc_piece *now = sc_pieces_at(pieces, c->first), *then;

	if (!now || now->begun <= before + 1 || sc_touch_note(later)->sequence + 1 < now->begun)
		return;
	then = sc_pieces_former(pieces, c->first, before);
	if (!then || then->ended == now->begun)
		return;
	f->reach = SC_REACH_REUSED;
	f->reach_op = now->begun;
	f->reach_record = then->ended;
}

/* The op that began the memory: of a piece of it that a pool handed out, or in a graph, the node
 * whose memory the later side uses. */
static uint64_t begun_by(struct sc_analysis *a, const struct sc_conflict *c,
			 const struct sc_allocation *memory, const struct sc_touch *later)
{
	const struct sc_piece *piece = sc_pieces_at(&a->memory.pieces, c->first);
	const struct sc_graph *g = later->note->graph;
	const struct sc_graph_lifetime *life = NULL;

	if (piece)
		return piece->begun;
	if (memory->graph && g && g->id == memory->graph && !later->is_launch)
		life = sc_graph_lifetime_at(g, memory->arena, later->node, later->first,
					    later->end);
	return life ? g->nodes.items[life->begin].sequence + 1 : memory->sequence;
}

/* Both are operations of streams, each with a moment of its own. */
static bool may_hold(const struct sc_touch *earlier, const struct sc_touch *later,
		     const struct sc_finding *f)
{
	return f->confidence != SC_POSSIBLE && !sc_note_is_host(earlier->note) &&
	       !sc_note_is_host(later->note) && !sc_note_is_agent(later->note) &&
	       !sc_touch_same_launch(earlier, later);
}

static void file(struct sc_analysis *a, const struct sc_conflict *c, const struct sc_touch *later,
		 const struct sc_allocation *memory, enum sc_race_end end)
{
	const struct sc_touch *earlier = &c->earlier;
	struct sc_note *n = earlier->note, *m = later->note;
	struct sc_finding f, *kept;

	if (faulted(a, n) || faulted(a, m)) {
		if (end == SC_END_NONE)
			check_unfinished(a, c, later);
		return;
	}
	f = sc_finding_begin(sc_race_base(earlier, later, end), sc_touch_op(earlier),
			     sequence_of(earlier), sc_touch_op(later), sequence_of(later));
	set_side(&f.side[0], earlier, c, side_mode(earlier));
	set_side(&f.side[1], later, c, end == SC_END_NONE ? side_mode(later) : SC_SIDE_FREE);
	sc_race_explain(a, earlier, later, &f);
	if (end == SC_END_NONE)
		explain_reuse(a, c, later, &f);
	else if (end == SC_END_PIECE && f.fix == SC_FIX_EVENT)
		f.fix = SC_FIX_POOL;
	sc_race_judge(a, c, later, is_of_host_memory(memory), &f);
	f.allocation = begun_by(a, c, memory, later);
	if (may_hold(earlier, later, &f) && sc_race_hold(&state_of(a)->held, a, &f, earlier, later))
		return;
	kept = sc_finding_file(a, &f, sc_touch_op(earlier), sc_touch_op(later));
	if (kept && sc_touch_same_launch(earlier, later) && !earlier->is_launch &&
	    !later->is_launch && !m->early)
		sc_moments_note_nodes(&a->moments, kept, m->graph, earlier->node, later->node);
	else if (kept)
		sc_moments_note(&a->moments, kept, &n->when, &m->when);
}

/* True if both sides are nodes of one launch, and the later side, a node that was checked again,
 * comes before the earlier side. */
static bool is_turned(const struct sc_touch *earlier, const struct sc_touch *later)
{
	return sc_touch_same_launch(earlier, later) && !earlier->is_launch && !later->is_launch &&
	       sc_graph_leads(later->note->graph, later->node, earlier->node);
}

/* A launch, and the destructor of what its executable graph held (C-8). */
static bool is_destruction(const struct sc_analysis *a, const struct sc_touch *earlier,
			   const struct sc_touch *later)
{
	const struct sc_note *n = earlier->note;

	return n->is_replay && sc_user_objects_order(&a->order.objects, sc_touch_op(earlier)->peer,
						     n->sequence, sc_touch_op(later)->callback);
}

void sc_race_file(struct sc_analysis *a, const struct sc_conflict *c, const struct sc_touch *later,
		  const struct sc_allocation *memory, enum sc_race_end end)
{
	struct sc_conflict then = *c;

	sc_note_read_op(&a->memory.notes, later->note);
	then.earlier.note = sc_touch_note(&c->earlier);
	if (is_destruction(a, &then.earlier, later))
		return;
	if (!is_turned(&then.earlier, later)) {
		file(a, &then, later, memory, end);
		return;
	}
	then.earlier = *later;
	file(a, &then, &c->earlier, memory, end);
}

static inline void make_touch(struct sc_touch *t, const struct sc_use *use, struct sc_note *note,
			      uint32_t node)
{
	sc_touch_init(t, note, node, &use->shape);
	t->traits |= (uint8_t)((use->is_strong ? SC_TRAIT_FLAG : 0) |
			       (use->is_host ? SC_TRAIT_HOST : 0));
	t->reason = use->reason;
}

/* SC-149: a callback fills the source of a later copy, which drivers may have read already. The
 * stream orders the two, so the touch is made to follow nothing but what came before it. */
static void check_late_source(struct sc_analysis *a, const struct sc_touch *touch,
			      const struct sc_use *use)
{
	struct sc_past past = {&a->order, &a->memory.notes};
	struct sc_note note = *touch->note;
	struct sc_touch free;

	note.when.lane = SC_LANE_NONE;
	note.when.position = UINT64_MAX;
	note.when.entered = 0;
	note.graph = NULL;
	make_touch(&free, use, &note, 0);
	sc_history_check(&use->allocation->history, &past, &free, &use->shape, &a->conflicts);
	for (size_t i = 0; i < a->conflicts.count; i++) {
		const struct sc_conflict *c = &a->conflicts.items[i];
		struct sc_note *n = c->earlier.note;
		struct sc_finding f;

		if (!sc_touch_is_staged(&c->earlier) ||
		    !sc_interval_before(&touch->note->when, &n->when))
			continue;
		f = sc_finding_begin(SC_RULE_149, &n->op, n->sequence, &touch->note->op,
				     touch->note->sequence);
		set_side(&f.side[0], &c->earlier, c, SC_SIDE_READ);
		set_side(&f.side[1], touch, c, SC_SIDE_WRITE);
		f.allocation = use->allocation->sequence;
		sc_finding_file(a, &f, &n->op, &touch->note->op);
	}
	sc_conflicts_clear(&a->conflicts, &a->memory.notes);
}

/* The same bytes at other addresses (P-12). */
static void check_aliases(struct sc_analysis *a, const struct sc_use *use,
			  const struct sc_touch *touch)
{
	struct sc_past past = {&a->order, &a->memory.notes};
	struct sc_allocation *memory = use->allocation, *other = NULL;
	uint64_t shift;
	size_t known;

	while ((other = sc_memory_mapped_as(&a->memory, memory, other))) {
		struct sc_access shape = use->shape;
		struct sc_touch there = *touch;

		if (!sc_memory_shares(memory, other, &shift))
			continue;
		shape.base += shift;
		there.first += shift;
		there.end += shift;
		sc_shape_move_parameter(&shape, shift);
		known = a->conflicts.count;
		sc_history_check(&other->history, &past, &there, &shape, &a->conflicts);
		for (; known < a->conflicts.count; known++) { /* addresses as used here */
			a->conflicts.items[known].first -= shift;
			a->conflicts.items[known].end -= shift;
		}
	}
}

/* Launches of graphs look at such bytes again. */
static void mark_aliases(struct sc_analysis *a, const struct sc_use *use,
			 const struct sc_touch *touch)
{
	const struct sc_allocation *memory = use->allocation;
	struct sc_allocation *other = NULL;
	uint64_t shift;

	while ((other = sc_memory_mapped_as(&a->memory, memory, other)))
		if (sc_memory_shares(memory, other, &shift))
			sc_history_changed(&other->history, touch->first + shift,
					   touch->end + shift);
}

/* Files what the touch collides with; false if there is nothing. */
static bool file_all(struct sc_analysis *a, const struct sc_use *use, const struct sc_touch *touch)
{
	if (!a->conflicts.count)
		return 0;
	for (size_t i = 0; i < a->conflicts.count; i++)
		sc_race_file(a, &a->conflicts.items[i], touch, use->allocation, SC_END_NONE);
	sc_conflicts_clear(&a->conflicts, &a->memory.notes);
	return 1;
}

/* Files what the access collides with if it comes before the wait; all else is found without. */
static void check_early(struct sc_analysis *a, const struct sc_use *use,
			const struct sc_touch *touch, const struct sc_touch *waited)
{
	struct sc_past past = {&a->order, &a->memory.notes};

	sc_history_check(&use->allocation->history, &past, touch, &use->shape, &a->conflicts);
	if (use->allocation->physical)
		check_aliases(a, use, touch);
	for (size_t i = 0; i < a->conflicts.count; i++)
		if (sc_touch_before(&a->conflicts.items[i].earlier, waited))
			sc_race_file(a, &a->conflicts.items[i], touch, use->allocation,
				     SC_END_NONE);
	sc_conflicts_clear(&a->conflicts, &a->memory.notes);
}

void sc_race_early(struct sc_analysis *a, const sc_uses *uses, const struct sc_note *note,
		   uint32_t node, struct sc_clock *begun)
{
	struct sc_note then = *note, now = *note;

	if (!note->is_replay) {
		then.when.start = sc_clock_all(begun);
		then.when.lane = SC_LANE_NONE;
		then.when.position = UINT64_MAX;
	}
	for (size_t i = 0; i < uses->count; i++) {
		const struct sc_use *use = &uses->items[i];
		struct sc_touch touch, waited;

		then.early = use->early;
		if (!use->early)
			continue;
		make_touch(&touch, use, &then, node);
		make_touch(&waited, use, &now, node);
		check_early(a, use, &touch, &waited);
	}
}

bool sc_race_node(struct sc_analysis *a, const struct sc_use *uses, size_t count,
		  struct sc_note *note, uint32_t node)
{
	struct sc_past past = {&a->order, &a->memory.notes};
	bool is_clean = 1;

	for (size_t i = 0; i < count; i++) {
		struct sc_touch touch;

		make_touch(&touch, &uses[i], note, node);
		sc_history_use(&uses[i].allocation->history, &past, &touch, &uses[i].shape,
			       uses[i].span, &a->conflicts);
		if (uses[i].allocation->physical) {
			check_aliases(a, &uses[i], &touch);
			mark_aliases(a, &uses[i], &touch);
		}
		is_clean &= !file_all(a, &uses[i], &touch);
	}
	return is_clean;
}

void sc_race_launch(struct sc_analysis *a, const struct sc_use *use, struct sc_note *note,
		    uint32_t node)
{
	struct sc_past past = {&a->order, &a->memory.notes};
	struct sc_touch touch;

	make_touch(&touch, use, note, node);
	touch.is_launch = 1;
	sc_history_add_launch(&use->allocation->history, &past, &touch);
}

/* Host access to device memory is rule 126; a callback that was never announced has no place. */
static bool is_checked(const struct sc_step *step, const struct sc_use *use)
{
	if (!use->is_host)
		return 1;
	if (step->op->callback && !step->inside)
		return 0;
	return use->allocation->kind != SC_MEM_DEVICE;
}

/* The host node in which the step runs, or 0; what a host node does belongs to its launch. */
static uint32_t node_of(const struct sc_step *step)
{
	return step->inside ? step->inside->node : 0;
}

/* True if a use belongs to the host's time line: a source may be read as soon as the host is in the
 * call, or up to its return, or both (4.6). */
static bool is_of_host(const struct sc_use *use, bool is_end)
{
	return use->is_host || use->shape.order == SC_SOURCE_DURING_CALL ||
	       (use->shape.order == SC_SOURCE_ANY && !is_end);
}

/* The op's notes, made when they are needed first, for host memory and for other memory: of the
 * device's side, and of the host's. */
struct sides {
	struct sc_note *of_host[2], *of_device[2];
};

static struct sc_note *note_of(struct sc_analysis *a, const struct sc_step *step,
			       struct sides *notes, const struct sc_use *use, bool is_host)
{
	struct sc_note **n = is_of_host_memory(use->allocation) ? &notes->of_host[is_host]
								: &notes->of_device[is_host];

	if (!*n)
		*n = sc_race_note_of(a, step, is_host, use->allocation);
	return *n;
}

static void check(struct sc_analysis *a, const struct sc_use *use, const struct sc_touch *touch)
{
	struct sc_past past = {&a->order, &a->memory.notes};

	sc_history_check(&use->allocation->history, &past, touch, &use->shape, &a->conflicts);
	if (use->allocation->physical)
		check_aliases(a, use, touch);
	if (use->is_host)
		sc_race_check_loads(a, use->allocation, touch);
	file_all(a, use, touch);
	if (touch->note->is_callback)
		check_late_source(a, touch, use);
}

static void remember(struct sc_analysis *a, const struct sc_use *use, const struct sc_touch *touch)
{
	struct sc_past past = {&a->order, &a->memory.notes};

	sc_history_add(&use->allocation->history, &past, touch, &use->shape);
	if (use->allocation->physical)
		mark_aliases(a, use, touch);
}

/* Some of it is the host's: all is checked before any is remembered, since the op's own uses do not
 * race with each other. */
static void use_on_both_sides(struct sc_analysis *a, const struct sc_step *step)
{
	struct sides notes = {0};

	for (unsigned is_end = 0; is_end < 2; is_end++)
		for (size_t i = 0; i < a->uses.count; i++) {
			const struct sc_use *use = &a->uses.items[i];
			struct sc_touch touch;

			if (!is_checked(step, use))
				continue;
			make_touch(&touch, use,
				   note_of(a, step, &notes, use, is_of_host(use, is_end)),
				   node_of(step));
			if (is_end)
				remember(a, use, &touch);
			else
				check(a, use, &touch);
		}
	for (unsigned i = 0; i < 2; i++) {
		if (notes.of_host[i])
			sc_note_put(&a->memory.notes, notes.of_host[i]);
		if (notes.of_device[i])
			sc_note_put(&a->memory.notes, notes.of_device[i]);
	}
}

static bool is_of_device(const sc_uses *uses)
{
	for (size_t i = 0; i < uses->count; i++)
		if (is_of_host(&uses->items[i], 0))
			return 0;
	return 1;
}

/* All uses of an op of the device where an allocator's question matters: of host memory apart. */
static __attribute__((cold, noinline)) void
use_by_luck(struct sc_analysis *a, const struct sc_step *step, struct sc_note *note)
{
	struct sides notes = {.of_device = {note}};

	for (size_t i = 0; i < a->uses.count; i++)
		sc_race_node(a, &a->uses.items[i], 1,
			     note_of(a, step, &notes, &a->uses.items[i], 0), node_of(step));
	if (notes.of_host[0])
		sc_note_put(&a->memory.notes, notes.of_host[0]);
}

static const uint16_t routine[] = {SC_OP_COPY, SC_OP_SET, SC_OP_KERNEL, SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct state *s = state;
	struct sc_note *note;

	sc_race_held_step(&s->held, a);
	sc_access_collect(&a->memory, &a->kernels, r, step, &a->uses);
	sc_talk_uses_step(a, step);
	if (!a->uses.count && !(step->op->kind == SC_OP_KERNEL && sc_kernels_may_load(&a->kernels)))
		return;
	if (a->order.signals.words.count)
		sc_memory_word_write(a, step);
	if (!is_of_device(&a->uses)) {
		use_on_both_sides(a, step);
		return;
	}
	note = make_note(a, step, 0);
	if (step->is_early && a->order.streams.has_begun)
		sc_race_early(a, &a->uses, note, 0, a->order.streams.begun);
	if (sc_clock_is_pair(step->when.start))
		use_by_luck(a, step, note);
	else
		sc_race_node(a, a->uses.items, a->uses.count, note, node_of(step));
	if (sc_kernels_may_load(&a->kernels))
		sc_race_loads(a, note, 0);
	sc_note_put(&a->memory.notes, note);
}

static void finish(void *state, struct sc_analysis *a)
{
	struct state *s = state;

	sc_race_held_finish(&s->held, a);
	sc_race_loaded_fini(&s->loaded, a);
}

const struct sc_rule_family sc_rules_race = {
	.state_bytes = sizeof(struct state),
	.routine = routine,
	.step = check_record,
	.finish = finish,
};
