/* Rules 101 to 114, 124, 125, 139, 147, 149, 201, 203, 204, 207 to 209: two unordered ops on the
 * same bytes. */
#include "analyzer/rules/race.h"

#include "analyzer/reach.h"

struct sc_note *sc_race_note(struct sc_analysis *a, const struct sc_step *step, _Bool is_host)
{
	struct sc_note *n = sc_note_new(&a->memory.notes, step->op, step->sequence,
					is_host ? &step->host : &step->when);

	n->is_callback = is_host && step->inside;
	if (n->is_callback && step->inside->graph)
		n->graph = sc_graph_get(step->inside->graph);
	if (is_host)
		return n;
	n->source_staged = step->transfer.source_staged && !a->reads_pageable;
	n->result_waited = step->transfer.result_waited;
	n->edge = step->transfer.edge;
	if (step->stream) {
		n->is_legacy = sc_stream_is_legacy(step->stream);
		n->is_nonblocking = step->stream->flags & SC_FLAG_NON_BLOCKING;
		n->context = step->stream->context->id;
	}
	return n;
}

static _Bool is_host(const struct sc_note *n)
{
	return sc_when_is_host(&n->when) || n->is_callback;
}

/* The beginning of stream-ordered memory is a touch of all of it (P-1). */
static _Bool is_beginning(const struct sc_touch *t)
{
	return sc_touch_op(t)->kind == SC_OP_ALLOC_ASYNC;
}

/* A graph's node ends it (G-13). */
static _Bool is_end(const struct sc_touch *t)
{
	return t->note->is_replay && sc_touch_op(t)->kind == SC_OP_FREE_ASYNC;
}

static unsigned base_of_end(const struct sc_touch *earlier, enum sc_race_end end)
{
	if (is_beginning(earlier))
		return SC_RULE_113;
	switch (end) {
	case SC_END_IN_STREAM: return SC_RULE_114;
	case SC_END_MAY_WAIT: return SC_RULE_204;
	case SC_END_NEVER_WAITS: return SC_RULE_115;
	default: return sc_touch_is_staged(earlier) ? SC_RULE_201 : SC_RULE_104;
	}
}

/* One side is the host's. */
static unsigned base_of_host(const struct sc_touch *device, const struct sc_touch *host)
{
	if (host->mode == SC_READ)
		return sc_touch_is_waited(device) ? SC_RULE_203 : SC_RULE_101;
	if (sc_mode_writes(device->mode))
		return SC_RULE_103;
	return sc_touch_is_staged(device) ? SC_RULE_201 : SC_RULE_102;
}

/* L-2: two kernels of one stream, of which the later may start before the earlier is complete. */
static _Bool is_early_pair(const struct sc_note *a, const struct sc_note *b)
{
	return a->op.kind == SC_OP_KERNEL && b->op.kind == SC_OP_KERNEL && a->op.stream &&
	       a->op.stream == b->op.stream;
}

/* V-139: the source of a batch is read before the stream's work in front of it is complete. */
static _Bool is_hasty(const struct sc_touch *earlier, const struct sc_touch *later)
{
	return sc_op_is_batch(&later->note->op) && is_host(later->note) && !is_host(earlier->note);
}

static unsigned base_of(const struct sc_touch *a, const struct sc_touch *b, enum sc_race_end end)
{
	_Bool host_a = is_host(a->note), host_b = is_host(b->note);

	if (end == SC_END_IN_STREAM && b->note->op.kind == SC_OP_GRAPH_LAUNCH)
		return SC_RULE_135; /* AUTO_FREE_ON_LAUNCH */
	if (is_end(a) || is_end(b) || (a->note->is_replay && is_beginning(a)) || is_beginning(b))
		return SC_RULE_135;
	if (end != SC_END_NONE)
		return base_of_end(a, end);
	if (is_beginning(a))
		return SC_RULE_113;
	if (sc_touch_same_launch(a, b))
		return SC_RULE_134;
	if (is_hasty(a, b))
		return SC_RULE_139;
	if (host_a && host_b)
		return SC_RULE_124;
	if (host_a || host_b)
		return base_of_host(host_a ? b : a, host_a ? a : b);
	if (is_early_pair(a->note, b->note))
		return SC_RULE_125;
	if (a->known == SC_KNOWN_PARAMETER && b->known == SC_KNOWN_PARAMETER)
		return SC_RULE_209;
	/* A kernel that may read or write at least reads or writes. */
	if (a->known == SC_KNOWN_PARAMETER || b->known == SC_KNOWN_PARAMETER)
		return SC_RULE_106;
	return sc_mode_writes(a->mode) && sc_mode_writes(b->mode) ? SC_RULE_105 : SC_RULE_106;
}

static void add_cause(struct sc_finding *f, unsigned cause)
{
	for (unsigned i = 0; cause && i < SC_FINDING_CAUSES; i++) {
		if (f->causes[i] == cause)
			return;
		if (!f->causes[i]) {
			f->causes[i] = (uint16_t)cause;
			return;
		}
	}
}

/* 4.5: managed operands made such calls wait before CUDA 12. */
static _Bool is_managed(const struct sc_note *n)
{
	return n->op.dst_mem == SC_MEM_MANAGED || n->op.src_mem == SC_MEM_MANAGED;
}

/* Only the strict profile doubts that such a copy is complete when it returns. */
static _Bool is_upload(const struct sc_note *n)
{
	_Bool is_from_host = n->op.src_mem == SC_MEM_PAGEABLE || n->op.src_mem == SC_MEM_PINNED ||
			     n->op.src_mem == SC_MEM_REGISTERED;

	return n->op.kind == SC_OP_COPY && is_from_host && n->op.dst_mem != SC_MEM_PAGEABLE &&
	       n->op.dst_mem != SC_MEM_PINNED && n->op.dst_mem != SC_MEM_REGISTERED;
}

/* The first op looked synchronous, and the second side is not covered by the legacy barrier. */
static unsigned sync_cause(const struct sc_touch *a, const struct sc_touch *b)
{
	const struct sc_note *n = a->note, *m = b->note;
	_Bool is_outside = m->is_nonblocking || m->context != n->context;

	if ((n->op.kind != SC_OP_COPY && n->op.kind != SC_OP_SET) ||
	    !(n->op.flags & SC_FLAG_SYNC) || is_host(n))
		return 0;
	if (n->edge == SC_EDGE_TAIL && is_outside && !is_host(m))
		return SC_RULE_108;
	if (n->edge == SC_EDGE_NONE && is_upload(n))
		return SC_RULE_206;
	if (n->edge == SC_EDGE_NONE && is_host(m) && is_managed(n))
		return SC_RULE_207;
	if (n->edge == SC_EDGE_NONE && (is_outside || is_host(m)))
		return SC_RULE_109;
	return 0;
}

static _Bool is_legacy_pair(const struct sc_note *n, const struct sc_note *m)
{
	return !is_host(n) && !is_host(m) && n->context == m->context &&
	       ((n->is_legacy && m->is_nonblocking) || (n->is_nonblocking && m->is_legacy));
}

/* V-150: nothing implicit orders two devices (D-1); told where nothing else explains the race. */
static _Bool is_device_pair(struct sc_analysis *a, const struct sc_note *n, const struct sc_note *m)
{
	return !is_host(n) && !is_host(m) && n->context != m->context &&
	       sc_context_of(&a->order.streams, n->context)->device !=
		       sc_context_of(&a->order.streams, m->context)->device;
}

/* A free between the two, which usually waits for the device, is all that hides the race (H-3). */
static _Bool is_hidden_by_free(struct sc_analysis *a, const struct sc_note *n,
			       const struct sc_note *m)
{
	const struct sc_context *c;

	if (is_host(n))
		return 0;
	c = sc_context_of(&a->order.streams, n->context);
	return n->when.entered < c->last_free && c->last_free < m->when.entered;
}

/* L-2: a kernel that fences before it triggers may hand its results over; what it reads it cannot.
 */
static _Bool may_hand_over(const struct sc_analysis *a, const struct sc_touch *earlier,
			   const struct sc_touch *later)
{
	unsigned needed = SC_GRID_TRIGGER | SC_GRID_FENCE;

	return is_early_pair(earlier->note, later->note) && sc_mode_writes(earlier->mode) &&
	       (sc_code_grid(a->order.code, earlier->note->op.object) & needed) == needed;
}

/* Why it is not proven, or SC_DOUBT_NONE. */
static enum sc_doubt doubt_of(const struct sc_analysis *a, const struct sc_conflict *c,
			      const struct sc_touch *later)
{
	const struct sc_touch *t = &c->earlier;
	uint8_t known = t->known > later->known ? t->known : later->known;
	uint64_t from = t->note->sequence + 1, to = later->note->sequence + 1;

	if (known == SC_KNOWN_PARAMETER)
		return SC_DOUBT_FOOTPRINT;
	if (known == SC_KNOWN_OVER || !c->is_sure)
		return SC_DOUBT_OVER;
	if (sc_order_is_handed(&a->order, &t->note->when, later->note->is_callback))
		return SC_DOUBT_HANDED_OVER;
	if (a->order.foreign > from || may_hand_over(a, t, later) ||
	    sc_signal_may_order(&a->order, &t->note->when, &later->note->when))
		return SC_DOUBT_FOREIGN;
	if (a->gap && a->gap <= to)
		return SC_DOUBT_LOST;
	return SC_DOUBT_NONE;
}

/* V-219, V-220: what may have hidden the race in this run. */
static unsigned mask_cause(struct sc_analysis *a, const struct sc_note *n, const struct sc_note *m)
{
	uint64_t load = is_host(n) ? 0 : sc_context_of(&a->order.streams, n->context)->last_load;

	if (a->is_serialized && !(is_host(n) && is_host(m)))
		return SC_RULE_220;
	return n->when.entered < load && load < m->when.entered ? SC_RULE_219 : 0;
}

static uint8_t side_mode(const struct sc_touch *t)
{
	if (is_end(t))
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
	if (is_host(t->note))
		side->stream = 0;
}

static _Bool has_cause(const struct sc_finding *f, unsigned cause)
{
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (f->causes[i] == cause)
			return 1;
	return 0;
}

/* 15.0: what makes an error a warning. */
static uint8_t severity_of(const struct sc_finding *f, const struct sc_touch *a,
			   const struct sc_touch *b, _Bool is_hidden)
{
	_Bool is_downgraded = a->known == SC_KNOWN_PARAMETER || b->known == SC_KNOWN_PARAMETER ||
			      sc_touch_is_weak(a) || is_hidden || has_cause(f, SC_RULE_206) ||
			      f->doubt == SC_DOUBT_FOREIGN;

	return is_downgraded && f->severity > SC_WARNING ? SC_WARNING : f->severity;
}

static _Bool is_faulted(struct sc_analysis *a, const struct sc_note *n, uint64_t position)
{
	uint64_t faulted = sc_context_of(&a->order.streams, n->context)->faulted;

	return faulted && faulted <= position;
}

/* V-208: after an error that was reported before, the host reads what the device was to write. */
static void check_unfinished(struct sc_analysis *a, const struct sc_conflict *c,
			     const struct sc_touch *later)
{
	struct sc_note *n = c->earlier.note, *m = later->note;
	uint64_t faulted = sc_context_of(&a->order.streams, n->context)->faulted;
	struct sc_finding f;

	if (is_host(n) || !is_host(m) || later->mode != SC_READ ||
	    !sc_mode_writes(c->earlier.mode) || c->earlier.known == SC_KNOWN_PARAMETER ||
	    faulted <= n->sequence + 1)
		return;
	f = sc_finding_begin(SC_RULE_208, &n->op, n->sequence, &m->op, m->sequence);
	set_side(&f.side[0], &c->earlier, c, SC_SIDE_WRITE);
	set_side(&f.side[1], later, c, SC_SIDE_READ);
	f.confidence = SC_POSSIBLE;
	f.doubt = SC_DOUBT_FAULTED;
	sc_finding_file(a, &f, &n->op, &m->op);
}

/* V-134: an edge between the two nodes. */
static void fix_by_edge(struct sc_finding *f)
{
	f->fix = SC_FIX_EDGE;
	f->fix_after = f->side[0].op + 1;
	f->fix_before = f->side[1].op + 1;
}

void sc_race_file(struct sc_analysis *a, const struct sc_conflict *c, const struct sc_touch *later,
		  const struct sc_allocation *memory, enum sc_race_end end)
{
	const struct sc_touch *earlier = &c->earlier;
	struct sc_note *n = earlier->note, *m = later->note;
	_Bool is_hidden = is_hidden_by_free(a, n, m);
	struct sc_finding f;

	if (is_faulted(a, n, m->sequence + 1) || is_faulted(a, m, m->sequence + 1)) {
		if (end == SC_END_NONE)
			check_unfinished(a, c, later);
		return;
	}
	f = sc_finding_begin(base_of(earlier, later, end), sc_touch_op(earlier),
			     sequence_of(earlier), sc_touch_op(later), sequence_of(later));
	set_side(&f.side[0], earlier, c, side_mode(earlier));
	set_side(&f.side[1], later, c, end == SC_END_NONE ? side_mode(later) : SC_SIDE_FREE);
	add_cause(&f, sync_cause(earlier, later));
	if (is_legacy_pair(n, m))
		add_cause(&f, SC_RULE_107);
	if (sc_touch_same_launch(earlier, later))
		fix_by_edge(&f);
	else
		add_cause(&f, sc_reach_explain(&a->order, n, m, &f));
	if (!f.causes[0] && is_device_pair(a, n, m))
		add_cause(&f, SC_RULE_150);
	if (is_hidden && f.rule != SC_RULE_204)
		add_cause(&f, SC_RULE_204);
	add_cause(&f, mask_cause(a, n, m));
	f.doubt = doubt_of(a, c, later);
	f.confidence = f.doubt == SC_DOUBT_NONE ? SC_PROVEN : SC_POSSIBLE;
	f.severity = severity_of(&f, earlier, later, is_hidden);
	f.allocation = memory->sequence;
	sc_finding_file(a, &f, sc_touch_op(earlier), sc_touch_op(later));
}

static struct sc_touch touch_of(const struct sc_use *use, struct sc_note *note, uint32_t node)
{
	return (struct sc_touch){.note = note,
				 .node = node,
				 .first = use->shape.base,
				 .end = sc_shape_end(&use->shape),
				 .pointer = use->pointer,
				 .mode = use->shape.mode,
				 .known = use->shape.known,
				 .how = use->shape.how,
				 .reason = use->reason};
}

/* V-149: a callback fills the source of a copy behind it, which drivers may have read already. The
 * stream orders the two, so the touch is made to follow nothing but what came before it. */
static void check_late_source(struct sc_analysis *a, const struct sc_touch *touch,
			      const struct sc_use *use)
{
	struct sc_touch free = *touch;
	struct sc_note note = *touch->note;

	note.when.lane = SC_LANE_NONE;
	note.when.position = UINT64_MAX;
	note.when.entered = 0;
	note.graph = NULL;
	free.note = &note;
	sc_history_check(&use->allocation->history, &free, &use->shape, &a->conflicts);
	for (size_t i = 0; i < a->conflicts.count; i++) {
		const struct sc_conflict *c = &a->conflicts.items[i];
		struct sc_note *n = c->earlier.note;
		struct sc_finding f;

		if (!sc_touch_is_staged(&c->earlier) ||
		    !sc_when_before(&touch->note->when, &n->when))
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

static _Bool check_use(struct sc_analysis *a, const struct sc_use *use, struct sc_note *note,
		       uint32_t node)
{
	struct sc_touch touch = touch_of(use, note, node);

	_Bool is_clean;

	sc_history_check(&use->allocation->history, &touch, &use->shape, &a->conflicts);
	is_clean = !a->conflicts.count;
	for (size_t i = 0; i < a->conflicts.count; i++)
		sc_race_file(a, &a->conflicts.items[i], &touch, use->allocation, SC_END_NONE);
	sc_conflicts_clear(&a->conflicts, &a->memory.notes);
	if (use->is_host && note->is_callback && sc_mode_writes(touch.mode))
		check_late_source(a, &touch, use);
	return is_clean;
}

static void remember_use(struct sc_analysis *a, const struct sc_use *use, struct sc_note *note,
			 uint32_t node)
{
	struct sc_past past = {&a->order, &a->memory.notes};
	struct sc_touch touch = touch_of(use, note, node);

	sc_history_add(&use->allocation->history, &past, &touch, &use->shape);
}

_Bool sc_race_node(struct sc_analysis *a, const struct sc_use *uses, size_t count,
		   struct sc_note *note, uint32_t node)
{
	_Bool is_clean = 1;

	for (size_t i = 0; i < count; i++)
		is_clean &= check_use(a, &uses[i], note, node);
	for (size_t i = 0; i < count; i++)
		remember_use(a, &uses[i], note, node);
	return is_clean;
}

void sc_race_launch(struct sc_analysis *a, const struct sc_use *use, struct sc_note *note,
		    uint32_t node)
{
	struct sc_past past = {&a->order, &a->memory.notes};
	struct sc_touch touch = touch_of(use, note, node);

	touch.is_launch = 1;
	sc_history_add_launch(&use->allocation->history, &past, &touch);
}

/* Host access to device memory is rule 126; a callback that was never announced has no place. */
static _Bool is_checked(const struct sc_step *step, const struct sc_use *use)
{
	if (!use->is_host)
		return 1;
	if (step->op->callback && !step->inside)
		return 0;
	return use->allocation->kind != SC_MEM_DEVICE && use->allocation->kind != SC_MEM_ARRAY;
}

/* What a host node does is its launch's. */
static uint32_t node_of(const struct sc_step *step)
{
	return step->inside ? step->inside->node : 0;
}

/* True if a use belongs to the host's time line: a source may be read as soon as the host is in the
 * call, or up to its return, or both (4.6). */
static _Bool is_of_host(const struct sc_use *use, _Bool is_end)
{
	return use->is_host || use->shape.order == SC_SOURCE_DURING_CALL ||
	       (use->shape.order == SC_SOURCE_ANY && !is_end);
}

/* The op's note of that side, made when it is needed first. */
static struct sc_note *note_of(struct sc_analysis *a, const struct sc_step *step,
			       struct sc_note *notes[2], _Bool is_host)
{
	if (!notes[is_host])
		notes[is_host] = sc_race_note(a, step, is_host);
	return notes[is_host];
}

void sc_rules_race_step(struct sc_analysis *a, const struct sc_record *r,
			const struct sc_step *step)
{
	struct sc_note *notes[2] = {NULL, NULL}; /* device side, host side */

	sc_access_collect(&a->memory, &a->kernels, r, step, &a->uses);
	for (unsigned is_end = 0; is_end < 2; is_end++)
		for (size_t i = 0; i < a->uses.count; i++) {
			const struct sc_use *use = &a->uses.items[i];
			struct sc_note *n;

			if (!is_checked(step, use))
				continue;
			n = note_of(a, step, notes, is_of_host(use, is_end));
			if (is_end)
				remember_use(a, use, n, node_of(step));
			else
				check_use(a, use, n, node_of(step));
		}
	for (unsigned i = 0; i < 2; i++)
		if (notes[i])
			sc_note_put(&a->memory.notes, notes[i]);
}

void sc_rules_race_finish(struct sc_analysis *a)
{
	(void)a;
}
