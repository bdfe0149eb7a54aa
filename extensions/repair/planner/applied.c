/* Applied edits: calls put around those that come from an edit's lines. */
#include "extensions/repair/planner/applied.h"

#include <stdbool.h>
#include "extensions/repair/planner/kernel_wait.h"
#include "extensions/repair/planner/moved.h"
#include "extensions/repair/planner/put_off.h"
#include "extensions/repair/planner/returned.h"

#define FIRST_EVENT UINT32_C(0xF0000000) /* ids that no recorder gives out */

static void add_use(struct sc_applied *a, const struct sc_edit_place *place, uint32_t edit,
		    bool is_after)
{
	uint32_t number = sc_places_add(&a->places, place);

	while (a->first_use.count <= number)
		sc_vector_push(&a->first_use, 0);
	sc_vector_push(&a->uses,
		       ((struct sc_applied_use){edit, a->first_use.items[number], is_after}));
	a->first_use.items[number] = (uint32_t)a->uses.count;
}

static struct sc_applied_stream *stream_of(struct sc_applied *a, struct sc_applied_edit *e,
					   const struct sc_op *op)
{
	size_t i = e->last ? e->last - 1 : 0;

	if (!e->last || e->streams.items[i].stream != op->stream)
		for (i = 0; i < e->streams.count && e->streams.items[i].stream != op->stream;)
			i++;
	if (i == e->streams.count) {
		bool is_own = e->edit->kind == SC_EDIT_EVENT_EACH || !i;

		sc_vector_push(&e->streams, ((struct sc_applied_stream){
						    .stream = op->stream,
						    .context = op->context,
						    .thread = op->thread,
						    .event = is_own ? a->next_event++
								    : e->streams.items[0].event}));
	}
	e->last = i + 1;
	e->streams.items[i].at = a->at;
	e->streams.items[i].user = op->thread;
	return &e->streams.items[i];
}

/* The stream that a thread used last, which may be in a variable of its own; if it used none, the
 * one that was used last. */
static const struct sc_applied_stream *last_of(const struct sc_applied_edit *e, uint32_t thread)
{
	const struct sc_applied_stream *last = e->last ? &e->streams.items[e->last - 1] : NULL;

	if (!last || last->user == thread)
		return last;
	for (size_t i = 0; i < e->streams.count; i++) {
		const struct sc_applied_stream *s = &e->streams.items[i];

		if (s->user == thread && (last->user != thread || s->at > last->at))
			last = s;
	}
	return last;
}

/* The calls. */

static void record(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *at,
		   uint32_t event)
{
	struct sc_op op = sc_applied_call(at, SC_OP_EVENT_RECORD);

	op.stream = at->stream;
	op.object = event;
	sc_splice_after(&a->splice, &op);
	e->edit->calls++;
}

/* What is waited for ends with the work at place `last` (+ 1). */
static void wait_device(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *at,
			uint32_t event, uint64_t last)
{
	struct sc_op op = sc_applied_call(at, SC_OP_EVENT_WAIT);

	op.stream = at->stream;
	op.object = event;
	sc_splice_before(&a->splice, &op);
	e->edit->calls++;
	sc_price_device(&a->price, e->edit, last, a->waiter);
}

static void wait_host_event(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *at,
			    uint32_t event, uint64_t last)
{
	struct sc_op op = sc_applied_call(at, SC_OP_EVENT_SYNC);

	op.object = event;
	sc_applied_wait_host(a, e, op);
	sc_price_host(&a->price, e->edit, last, at);
}

static void wait_stream(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *at,
			const struct sc_applied_stream *s)
{
	struct sc_op op = sc_applied_call(at, SC_OP_STREAM_SYNC);

	op.stream = s->stream;
	op.context = s->context;
	if (!sc_applied_can_name(a, e, at, s))
		return;
	sc_applied_wait_host(a, e, op);
	sc_price_host(&a->price, e->edit, sc_price_last(&a->price, s->stream), at);
}

static void wait_contexts(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *at)
{
	for (size_t i = 0; i < e->streams.count; i++) {
		struct sc_op op = sc_applied_call(at, SC_OP_CONTEXT_SYNC);
		size_t before = 0;

		while (e->streams.items[before].context != e->streams.items[i].context)
			before++;
		op.context = e->streams.items[i].context;
		if (before == i)
			sc_applied_wait_host(a, e, op);
	}
	sc_price_all(&a->price, e->edit, at);
}

/* The edit's two lines. */

static void use_existing(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *at)
{
	if (!e->event)
		return;
	if (sc_u64_map_find(&a->events, e->event))
		sc_applied_flaw(e, SC_FLAW_DEAD_EVENT);
	else if (e->edit->kind == SC_EDIT_HOST_WAIT)
		wait_host_event(a, e, at, e->event, e->covered);
	else
		wait_device(a, e, at, e->event, e->covered);
}

static void use_each(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *at)
{
	for (size_t i = 0; i < e->streams.count; i++) {
		const struct sc_applied_stream *s = &e->streams.items[i];

		if (e->edit->kind == SC_EDIT_SYNC_EACH)
			wait_stream(a, e, at, s);
		else if (s->stream != at->stream)
			wait_device(a, e, at, s->event, s->at + 1);
	}
}

static void free_there(struct sc_applied *a, struct sc_applied_edit *e, struct sc_op *op,
		       const struct sc_applied_stream *s)
{
	if (op->kind != SC_OP_FREE_ASYNC || !sc_applied_can_name(a, e, op, s))
		return;
	op->stream = s->stream;
	e->edit->calls++;
}

static void move_away(struct sc_applied_edit *e, struct sc_op *op)
{
	if (op->kind != SC_OP_EVENT_RECORD)
		return;
	e->event = op->object;
	op->kind = SC_OP_NONE;
	e->edit->calls++;
}

static bool is_stream_held(const struct sc_applied *a, uint32_t stream, bool is_host)
{
	return sc_trace_facts_is_held(a->facts, stream, a->at) ||
	       (is_host && sc_trace_facts_is_running(a->facts, stream, a->at));
}

/* True if what the edit would wait for waits itself for a call that comes later. */
static bool is_held(struct sc_applied *a, const struct sc_applied_edit *e)
{
	bool is_host = sc_edit_kind_is_host((enum sc_edit_kind)e->edit->kind);

	if (e->event_stream && is_stream_held(a, e->event_stream, is_host))
		return 1;
	for (size_t i = 0; i < e->streams.count; i++) {
		const struct sc_applied_stream *s = &e->streams.items[i];

		if (is_stream_held(a, s->stream, is_host))
			return 1;
		/* An event is narrower: what was enqueued after its record may go on. */
		if (is_host && (e->edit->kind != SC_EDIT_HOST_EVENT || e->after) &&
		    sc_trace_facts_is_pending(a->facts, s->stream, s->at, a->at))
			return 1;
	}
	return 0;
}

static void act_before(struct sc_applied *a, struct sc_applied_edit *e, struct sc_op *op)
{
	const struct sc_applied_stream *last = last_of(e, op->thread);
	enum sc_edit_kind kind = (enum sc_edit_kind)e->edit->kind;

	if (kind == SC_EDIT_SYNC_AFTER || kind == SC_EDIT_FRAME || kind == SC_EDIT_RECORD ||
	    kind == SC_EDIT_STREAM || sc_edit_moves_call(e->edit))
		return;
	if (kind == SC_EDIT_MOVE)
		move_away(e, op);
	else if (is_held(a, e))
		sc_applied_flaw(e, SC_FLAW_HELD);
	else if (kind == SC_EDIT_WAIT || kind == SC_EDIT_HOST_WAIT)
		use_existing(a, e, op);
	else if (!last)
		return; /* nothing to wait for yet */
	else if (kind == SC_EDIT_FREE_STREAM)
		free_there(a, e, op, last);
	else if (kind == SC_EDIT_EVENT)
		wait_device(a, e, op, last->event, last->at + 1);
	else if (kind == SC_EDIT_HOST_EVENT)
		wait_host_event(a, e, op, last->event, last->at + 1);
	else if (kind == SC_EDIT_SYNC_STREAM)
		wait_stream(a, e, op, last);
	else if (kind == SC_EDIT_SYNC_DEVICE)
		wait_contexts(a, e, op);
	else
		use_each(a, e, op);
}

/* The host waits after the record at hand for the stream of an op. */
static void wait_after(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *at)
{
	struct sc_op op = sc_applied_call(at, SC_OP_STREAM_SYNC);

	if (is_stream_held(a, at->stream, 1)) {
		sc_applied_flaw(e, SC_FLAW_HELD);
		return;
	}
	op.stream = at->stream;
	if (sc_applied_thread_waits(a, e, at->thread)) {
		op.phase = SC_PHASE_BEGIN;
		sc_splice_after(&a->splice, &op);
		op.phase = SC_PHASE_END;
		sc_splice_after(&a->splice, &op);
	}
	sc_price_host(&a->price, e->edit, sc_price_last(&a->price, at->stream), at);
}

static void add_after(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *op,
		      uint32_t event)
{
	enum sc_edit_kind kind = (enum sc_edit_kind)e->edit->kind;

	if (kind == SC_EDIT_SYNC_AFTER || kind == SC_EDIT_WAIT_MOVE)
		wait_after(a, e, op);
	else if (kind == SC_EDIT_EVENT || kind == SC_EDIT_EVENT_EACH || kind == SC_EDIT_HOST_EVENT)
		record(a, e, op, event);
	else if (kind == SC_EDIT_MOVE && e->event)
		record(a, e, op, e->event);
	else if (kind == SC_EDIT_RECORD && sc_u64_map_find(&a->events, e->edit->event))
		sc_applied_flaw(e, SC_FLAW_DEAD_EVENT);
	else if (kind == SC_EDIT_RECORD)
		record(a, e, op, e->edit->event);
}

/* After an op in a stream. */
static void act_after_work(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *op)
{
	const struct sc_applied_stream *s = stream_of(a, e, op);

	e->edit->streams = (uint32_t)e->streams.count;
	if (e->edit->kind == SC_EDIT_STREAM)
		sc_moved_name(e, op);
	else if (e->edit->kind == SC_EDIT_FRAME)
		sc_returned_use(a, e, op);
	else if (!e->after) /* else once the call has returned */
		add_after(a, e, op, s->event);
}

static void act_after(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *op)
{
	enum sc_edit_kind kind = (enum sc_edit_kind)e->edit->kind;

	if (kind == SC_EDIT_WAIT || kind == SC_EDIT_HOST_WAIT) {
		if (op->kind == SC_OP_EVENT_RECORD) {
			e->event = op->object;
			e->event_stream = op->stream;
			e->covered = sc_price_last(&a->price, op->stream);
		}
		return;
	}
	if (sc_op_kind_class(op->kind) == SC_CLASS_ENQUEUE && op->stream)
		act_after_work(a, e, op);
	if (sc_edit_moves_call(e->edit) && !e->after)
		sc_put_off_put(a, e, op);
}

static void act(struct sc_applied *a, const struct sc_applied_use *use, struct sc_op *op)
{
	struct sc_applied_edit *e = &a->edits.items[use->edit];

	if (e->edit->kind == SC_EDIT_EDGE)
		return; /* only nodes are concerned */
	if (op->flags & SC_FLAG_CAPTURED)
		sc_applied_flaw(e, SC_FLAW_CAPTURED);
	else if (op->callback)
		sc_applied_flaw(e, SC_FLAW_CALLBACK);
	else if (use->is_after && op->phase != SC_PHASE_BEGIN)
		act_after(a, e, op);
	else if (!use->is_after && op->phase != SC_PHASE_END)
		act_before(a, e, op);
}

/* Calls of the program's own functions. */

/* An op of the trace, by its place there. */
static bool read_op(const struct sc_applied *a, uint64_t place, struct sc_op *out)
{
	return sc_reader_op(a->places.reader, place * a->splice.room, out);
}

/* Streams wait by the names that they have in the call. */
static void begin_call(struct sc_applied *a, struct sc_applied_edit *e,
		       const struct sc_line_call *call, struct sc_op *op)
{
	struct sc_op use;

	if (sc_edit_kind_is_host((enum sc_edit_kind)e->edit->kind)) {
		act_before(a, e, op);
		return;
	}
	for (uint32_t i = call->uses; i; i = e->before->uses.items[i - 1].before) {
		a->waiter = e->before->uses.items[i - 1].place;
		if (!read_op(a, a->waiter, &use))
			continue;
		if (use.flags & SC_FLAG_CAPTURED)
			sc_applied_flaw(e, SC_FLAW_CAPTURED);
		else
			act_before(a, e, &use);
	}
	a->waiter = a->at;
}

static void before_calls(struct sc_applied *a, struct sc_op *op)
{
	for (size_t i = a->edits.count; i-- > 0;) {
		struct sc_applied_edit *e = &a->edits.items[i];
		const struct sc_line_call *call =
			e->before ? sc_line_call_at(e->before, &e->cursors[0], op->thread, a->at)
				  : NULL;

		if (!call || op->phase == SC_PHASE_END)
			continue;
		a->has_doubtful |= call->begin != a->at;
		if (op->flags & SC_FLAG_CAPTURED)
			sc_applied_flaw(e, SC_FLAW_CAPTURED);
		else if (call->begin == a->at || a->is_each)
			begin_call(a, e, call, op);
		else if (is_held(a, e))
			sc_applied_flaw(e, SC_FLAW_HELD);
	}
}

/* What was enqueued since the first op is waited for, too. */
static bool is_call_held(const struct sc_applied *a, const struct sc_applied_stream *s)
{
	return is_stream_held(a, s->stream, 1) ||
	       sc_trace_facts_is_pending(a->facts, s->stream, s->at, a->at);
}

static void end_call(struct sc_applied *a, struct sc_applied_edit *e,
		     const struct sc_line_call *call, const struct sc_op *end)
{
	bool is_wait = e->edit->kind == SC_EDIT_SYNC_AFTER || e->edit->kind == SC_EDIT_WAIT_MOVE;
	bool is_certain = call->end == a->at || a->is_each;
	const struct sc_applied_stream *last = last_of(e, end->thread);

	for (size_t i = 0; i < e->streams.count; i++) {
		const struct sc_applied_stream *s = &e->streams.items[i];
		struct sc_op op;

		/* One event stands for the last record. */
		if (s->user != end->thread || s->at < call->begin || (!is_wait && s != last))
			continue;
		a->has_doubtful |= call->end != a->at;
		if (is_wait && is_call_held(a, s))
			sc_applied_flaw(e, SC_FLAW_HELD);
		else if (is_certain && read_op(a, s->at, &op)) {
			op.time_ns = end->time_ns;
			add_after(a, e, &op, s->event);
		}
	}
	if (sc_edit_moves_call(e->edit) && call->end == a->at)
		sc_put_off_put(a, e, end);
}

static void after_calls(struct sc_applied *a, const struct sc_op *op)
{
	for (size_t i = a->edits.count; i-- > 0;) {
		struct sc_applied_edit *e = &a->edits.items[i];
		const struct sc_line_call *call =
			e->after ? sc_line_call_at(e->after, &e->cursors[1], op->thread, a->at)
				 : NULL;

		if (call && op->phase != SC_PHASE_BEGIN)
			end_call(a, e, call, op);
	}
}

/* Nodes of graphs. */

/* Where a node was made; of one of the edit's own two, as the edit says it. */
static struct sc_edit_place place_of(const struct sc_applied *a, const struct sc_edge_node *node,
				     const struct sc_edit_place *own)
{
	struct sc_repair_depth whole = {.lines = UINT32_MAX};
	const uint64_t *frames;

	if (node->place == own->op || node->stack == own->stack)
		return *own;
	whole.frames =
		node->stack ? (uint32_t)sc_reader_stack(a->places.reader, node->stack, &frames) : 0;
	return sc_place_of(a->places.reader, node->stack, node->place, whole);
}

static void act_node(struct sc_applied *a, const struct sc_applied_use *use, const struct sc_op *op,
		     uint32_t index)
{
	struct sc_applied_edit *e = &a->edits.items[use->edit];

	if (e->edit->kind != SC_EDIT_EDGE)
		return;
	if (use->is_after) {
		e->exec = op->peer;
		e->node = index + 1;
	} else if (e->node && e->exec == op->peer && e->node - 1 != index) {
		const struct sc_edge_node *used[2];

		if (!sc_edges_add(&a->edges, &a->splice, op, e->node - 1, index, used))
			return;
		e->edit->calls++;
		for (unsigned i = 0; i < 2; i++)
			e->edit->nodes[i] =
				place_of(a, used[i], i ? &e->edit->before : &e->edit->first);
	}
}

static void around_node(struct sc_applied *a, const struct sc_record *r)
{
	const uint32_t *place;
	uint32_t index;

	if (!a->has_edges || !sc_edges_note(&a->edges, r, &index))
		return;
	for (place = sc_places_of(&a->places, r->op.stack, r->sequence); *place != SC_PLACE_END;
	     place++)
		for (uint32_t i = a->first_use.items[*place]; i; i = a->uses.items[i - 1].next)
			act_node(a, &a->uses.items[i - 1], &r->op, index);
}

/* The trace. */

static void around_places(struct sc_applied *a, struct sc_record *r)
{
	uint64_t op = r->op.phase == SC_PHASE_END && r->op.link ? r->op.link - 1 : r->sequence;
	const uint32_t *place;

	for (place = sc_places_of(&a->places, r->op.stack, op); *place != SC_PLACE_END; place++)
		for (uint32_t i = a->first_use.items[*place]; i; i = a->uses.items[i - 1].next)
			act(a, &a->uses.items[i - 1], &r->op);
}

static void around(void *data, struct sc_splice *s, struct sc_record *r)
{
	struct sc_applied *a = data;
	enum sc_op_class class;

	(void)s;
	a->at = a->waiter = r->sequence;
	if (a->has_put_off)
		sc_put_off_take(a, r);
	class = sc_op_kind_class(r->op.kind);
	if (a->has_moves)
		sc_moved_act(a, &r->op);
	if (a->has_frames)
		sc_returned_act(a, &r->op);
	sc_applied_follow(a, &r->op);
	if (r->op.phase != SC_PHASE_END)
		sc_price_note(&a->price, r->sequence, &r->op);
	if (r->op.flags & SC_FLAG_NODE)
		around_node(a, r);
	if (a->has_kernels && r->op.kind == SC_OP_KERNEL)
		sc_kernel_wait_act(a, r);
	if (class == SC_CLASS_DEFINE || r->op.flags & SC_FLAG_NODE)
		return;
	if (a->has_calls && !r->op.callback)
		before_calls(a, &r->op);
	if (!(r->op.flags & SC_FLAG_DEAD_HANDLE) && a->places.list.count)
		around_places(a, r);
	if (a->has_calls && !r->op.callback)
		after_calls(a, &r->op);
}

/* What is added last is done first at a place. There streams wait before the host does, so that
 * what the host waits for includes these waits: the kinds of edits are in that order. */
static void add_edits(struct sc_applied *a, struct sc_edit *const *edits, size_t count,
		      unsigned kind)
{
	for (size_t i = 0; i < count; i++) {
		struct sc_applied_edit e = {.edit = edits[i]};
		struct sc_edit_place before;

		if (!edits[i] || edits[i]->kind != kind)
			continue;
		a->has_edges |= kind == SC_EDIT_EDGE || kind == SC_EDIT_KERNEL_WAIT;
		a->has_moves |= kind == SC_EDIT_STREAM;
		a->has_frames |= kind == SC_EDIT_FRAME;
		a->has_kernels |= kind == SC_EDIT_KERNEL_WAIT;
		a->has_put_off |= sc_edit_moves_call(edits[i]);
		edits[i]->flaw = SC_FLAW_NONE;
		edits[i]->calls = edits[i]->streams = 0;
		edits[i]->lost_ns = 0;
		edits[i]->is_priced = 0;
		if (sc_edit_is_after_calls(edits[i]))
			e.after = sc_calls_want(&a->facts->calls, &edits[i]->first);
		if (sc_edit_is_before_calls(edits[i]))
			e.before = sc_calls_want(&a->facts->calls, &edits[i]->before);
		a->has_calls |= e.after || e.before;
		sc_vector_push(&a->edits, e);
		if (kind == SC_EDIT_KERNEL_WAIT)
			continue; /* wherever it is launched */
		add_use(a, &edits[i]->first, (uint32_t)a->edits.count - 1, 1);
		if (e.before)
			continue;
		before = kind == SC_EDIT_STREAM ? sc_place_line(a->places.reader, &edits[i]->before)
						: edits[i]->before;
		add_use(a, &before, (uint32_t)a->edits.count - 1, 0);
	}
}

void sc_applied_begin(struct sc_applied *a, struct sc_reader *r, struct sc_trace_facts *facts,
		      struct sc_edit *const *edits, size_t count, uint32_t room)
{
	*a = (struct sc_applied){.splice = {.around = around, .room = room},
				 .next_event = FIRST_EVENT};
	a->splice.data = a;
	a->facts = facts;
	sc_price_init(&a->price, &facts->times);
	a->places.reader = r;
	for (unsigned kind = SC_EDIT_KINDS; kind-- > 0;)
		add_edits(a, edits, count, kind);
	sc_calls_read(&facts->calls, r);
	sc_reader_set_splice(r, &a->splice);
}

void sc_applied_end(struct sc_applied *a, struct sc_reader *r)
{
	sc_reader_set_splice(r, NULL);
	for (size_t i = 0; i < a->edits.count; i++) {
		if (a->splice.refused)
			sc_applied_flaw(&a->edits.items[i], SC_FLAW_ROOM);
		sc_put_off_end(&a->edits.items[i]);
		sc_vector_fini(&a->edits.items[i].streams);
		sc_vector_fini(&a->edits.items[i].buffers);
		sc_u64_map_fini(&a->edits.items[i].cursors[0]);
		sc_u64_map_fini(&a->edits.items[i].cursors[1]);
	}
	sc_splice_fini(&a->splice);
	sc_places_fini(&a->places);
	sc_price_fini(&a->price);
	sc_edges_fini(&a->edges);
	sc_vector_fini(&a->edits);
	sc_vector_fini(&a->uses);
	sc_vector_fini(&a->first_use);
	sc_u64_map_fini(&a->early);
	sc_u64_map_fini(&a->streams);
	sc_u64_map_fini(&a->events);
	sc_u64_map_fini(&a->thread_times);
}
