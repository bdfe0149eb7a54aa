/* The ordering engine: what each kind of record joins into which clock. */
#include "analyzer/order/order.h"

#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/order/context_order.h"
#include "analyzer/order/graph_launch.h"
#include "analyzer/order/host_wait.h"
#include "analyzer/order/programmatic.h"
#include "analyzer/kernel/code.h"
#include "base/assert.h"
#include "base/heap.h"

bool sc_order_is_sticky(int32_t result)
{
	switch ((enum sc_result)result) {
	case SC_RESULT_ECC_UNCORRECTABLE:
	case SC_RESULT_NVLINK_UNCORRECTABLE:
	case SC_RESULT_ILLEGAL_ADDRESS:
	case SC_RESULT_LAUNCH_TIMEOUT:
	case SC_RESULT_ASSERT:
	case SC_RESULT_HARDWARE_STACK_ERROR:
	case SC_RESULT_ILLEGAL_INSTRUCTION:
	case SC_RESULT_MISALIGNED_ADDRESS:
	case SC_RESULT_INVALID_ADDRESS_SPACE:
	case SC_RESULT_INVALID_PC:
	case SC_RESULT_LAUNCH_FAILED: return 1;
	default: return 0;
	}
}

void sc_order_init(struct sc_order *o, const struct sc_analysis_settings *settings)
{
	*o = (struct sc_order){.profile = settings->profile,
			       .driver = 13000,
			       .doubts_queries = settings->is_unasked};
	sc_host_init(&o->host, &o->streams, &o->callbacks, settings->strict_hosts);
	o->streams.pool = &o->pool;
	o->events.pool = &o->pool;
	o->callbacks.pool = &o->pool;
	o->signals.streams = &o->streams;
	o->talks.pool = &o->pool;
	o->execs.few = sc_settings_remembered(settings, SC_REMEMBERED / SC_GRAPH_OLD_FEW);
}

void sc_order_fini(struct sc_order *o)
{
	sc_host_wait_fini(o);
	sc_agents_fini(&o->agents, &o->pool);
	sc_wait_log_fini(&o->pool, &o->failed);
	sc_host_fini(&o->host);
	sc_execs_fini(&o->execs, &o->pool);
	sc_signals_fini(&o->signals);
	sc_talks_fini(&o->talks);
	sc_callbacks_fini(&o->callbacks);
	sc_events_fini(&o->events);
	sc_streams_fini(&o->streams);
	sc_user_objects_fini(&o->objects);
	sc_u64_map_fini(&o->opaque_calls);
	sc_clock_put(&o->pool, o->staged);
	sc_clock_pool_fini(&o->pool);
}

void sc_order_wait_unresolved(struct sc_order *o, const struct sc_step *step)
{
	if (!sc_signal_add_unresolved(&o->signals, step))
		sc_order_note_unseen(o, step->sequence + 1, sc_signal_doubt(step));
}

static void push(struct sc_order *o, struct sc_step *step)
{
	struct sc_stream *s = step->stream;

	if (step->op->kind != SC_OP_EVENT_RECORD && step->op->kind != SC_OP_EVENT_WAIT)
		sc_stream_end_kernel(s);
	sc_stream_push(&o->streams, s, step->sequence + 1, &step->when);
	step->is_enqueued = 1;
}

static void log_stream_wait(struct sc_order *o, const struct sc_step *step,
			    const struct sc_event *e, const struct sc_event_record *record)
{
	struct sc_wait w = {.sequence = step->sequence,
			    .kind = sc_host_wait_kind(e, record),
			    .thread = step->op->thread,
			    .object = step->op->object};

	if (record) {
		w.covers.point = record->snapshot;
		w.covers.more = sc_event_begun(record);
		w.record = record->record;
	}
	sc_wait_log_add(&o->pool, &step->stream->waits, &w);
}

static void record_event(struct sc_order *o, struct sc_step *step)
{
	struct sc_event *e = sc_event_of(&o->events, step->op->object);

	push(o, step);
	sc_event_record(&o->events, e, &step->stream->tail, step->sequence);
}

static void wait_event(struct sc_order *o, struct sc_step *step)
{
	struct sc_event *e = sc_event_of(&o->events, step->op->object);
	const struct sc_event_record *current = sc_event_bound(e);
	struct sc_stream *s = step->stream;

	sc_wait_log_prefetch(&s->waits);
	if (e->is_inside)
		return; /* the call that takes the stream into a capture: nothing is executed */
	if (current) {
		step->is_known = !current->launch && sc_stream_knows(s, &current->snapshot);
		if (!step->is_known)
			sc_clock_join_point(&o->pool, &s->tail.base, &current->snapshot);
		sc_clock_join(&o->pool, &s->tail.base, sc_event_begun(current));
	}
	sc_host_wait_check_never(o, step, e);
	if (current || step->is_never || e->is_foreign)
		log_stream_wait(o, step, e, current);
	push(o, step);
	if (step->is_foreign)
		sc_order_wait_unresolved(o, step);
}

/* C-S6: the op is ordered both ways with the legacy and blocking streams of another context. */
static void barrier_before(struct sc_order *o, struct sc_stream *s, uint32_t context)
{
	struct sc_context *c = sc_context_of(&o->streams, context);
	struct sc_stream *legacy = sc_stream_legacy(&o->streams, c);

	sc_stream_join_awaited(&o->streams, legacy);
	sc_clock_join(&o->pool, &s->tail.base, legacy->tail.base);
	sc_clock_join_point(&o->pool, &s->tail.base, &legacy->tail);
	for (struct sc_stream *b = sc_context_streams(c); b; b = b->next)
		if (sc_stream_is_blocking(b) || o->profile == SC_PERMISSIVE)
			sc_clock_join_point(&o->pool, &s->tail.base, &b->tail);
}

static void barrier_after(struct sc_order *o, const struct sc_step *step, uint32_t context)
{
	struct sc_stream *legacy =
		sc_stream_legacy(&o->streams, sc_context_of(&o->streams, context));
	struct sc_interval unused;

	sc_stream_join_implicit(&o->streams, legacy, legacy->pushed);
	sc_clock_join_point(&o->pool, &legacy->tail.base, &step->stream->tail);
	sc_stream_end_kernel(legacy);
	sc_stream_push(&o->streams, legacy, step->sequence + 1, &unused);
}

static void push_barrier(struct sc_order *o, struct sc_step *step)
{
	const uint32_t sides[] = {step->op->dst_context, step->op->src_context};

	for (unsigned i = 0; i < 2; i++)
		if (sides[i] && sides[i] != step->stream->context->id)
			barrier_before(o, step->stream, sides[i]);
	push(o, step);
	for (unsigned i = 0; i < 2; i++)
		if (sides[i] && sides[i] != step->stream->context->id &&
		    (!i || sides[0] != sides[1]))
			barrier_after(o, step, sides[i]);
}

/* C-S1: the host reads the source inside the call, after what the call waits for first. */
static void read_source(struct sc_order *o, struct sc_step *step, const struct sc_target *after)
{
	sc_clock_set(&o->pool, &o->staged, sc_host_clock(&o->host, step));
	sc_target_join(&o->pool, &o->staged, after);
	step->host = sc_host_moment(&o->host, step, o->staged);
}

/* Copies and fills: an op of the stream, and perhaps a promise to the caller (section 4). */
static void transfer(struct sc_order *o, struct sc_step *step)
{
	struct sc_stream *s = step->stream;
	struct sc_target covers = {0};

	step->transfer = sc_transfer_of(step->op, o->driver, o->profile);
	if (step->op->flags & SC_FLAG_SYNC && (o->has_sync_memops || s->context->has_sync_memops))
		step->transfer.edge = SC_EDGE_END;
	if (step->transfer.edge == SC_EDGE_TAIL) {
		covers.point = sc_point_get(&s->tail);
		covers.more = sc_clock_get(s->tail.base);
	}
	if (step->transfer.host_reads)
		read_source(o, step, &covers);
	if (step->transfer.is_barrier && sc_stream_is_legacy(s))
		push_barrier(o, step);
	else
		push(o, step);
	if (step->transfer.edge == SC_EDGE_END)
		covers.point = sc_point_get(&s->tail);
	if (step->transfer.edge != SC_EDGE_NONE)
		sc_host_wait_take(o, step, covers, SC_WAIT_COPY, 0);
}

static void enqueue_host_func(struct sc_order *o, struct sc_step *step)
{
	push(o, step);
	sc_stream_part_return(step->stream);
	sc_callback_add(&o->callbacks, step->sequence, &step->when, sc_host_clock(&o->host, step));
}

static void wait_signal(struct sc_order *o, struct sc_step *step)
{
	if (!sc_signal_wait(&o->signals, step, o->host.clock))
		sc_order_wait_unresolved(o, step);
}

/* Puts the op into its stream; true if it moves or computes data. */
static bool enqueue(struct sc_order *o, struct sc_step *step)
{
	bool is_work = !(step->op->flags & SC_FLAG_SYNC);

	switch (step->op->kind) {
	case SC_OP_EVENT_RECORD: record_event(o, step); return 0;
	case SC_OP_EVENT_WAIT: wait_event(o, step); return 0;
	case SC_OP_KERNEL: sc_programmatic_launch(o, step); return is_work;
	case SC_OP_COPY:
	case SC_OP_SET: transfer(o, step); return is_work;
	case SC_OP_HOST_FUNC: enqueue_host_func(o, step); return is_work;
	case SC_OP_GRAPH_LAUNCH: sc_graph_launch(o, step); return is_work;
	case SC_OP_GRAPH_UPLOAD: sc_graph_launch_upload(o, step); return 0;
	case SC_OP_VALUE_WRITE:
	case SC_OP_SIGNAL: sc_signal_write(&o->signals, step); return 0;
	case SC_OP_VALUE_WAIT:
	case SC_OP_SIGNAL_WAIT: wait_signal(o, step); return 0;
	default: push(o, step); return 0;
	}
}

/* Whether the program may miss work that it did not wait for. What a library fills or copies within
 * the device it keeps for itself; kernels of which only the machine code is known are taken for
 * frameworks' and libraries', which do not print. The strict profile takes nothing for granted. */
static bool is_lasting(const struct sc_order *o, const struct sc_op *op)
{
	const struct sc_code_kernel *k;

	if (o->profile == SC_STRICT)
		return 1;
	if (op->kind == SC_OP_COPY || op->kind == SC_OP_SET)
		return op->dst_mem != SC_MEM_DEVICE || !(op->flags & SC_FLAG_LIBRARY);
	if (op->kind != SC_OP_KERNEL || !o->code)
		return 1;
	k = sc_code_kernel(o->code, (uint32_t)op->object);
	return !k || !k->module || k->grid & SC_GRID_KNOWN;
}

void sc_order_enqueue(struct sc_order *o, struct sc_step *step)
{
	const struct sc_op *op = step->op;
	struct sc_stream *s = sc_stream_of(&o->streams, op->stream, op->context);

	sc_assert(!step->is_enqueued);
	step->stream = s;
	if (!s)
		return;
	if (op->kind != SC_OP_EVENT_RECORD && op->kind != SC_OP_EVENT_WAIT)
		sc_host_join_caller(&o->host, step);
	sc_stream_join_context(&o->streams, s);
	if (!enqueue(o, step))
		return;
	s->last_work = step->sequence + 1;
	if (is_lasting(o, op))
		s->last_lasting = s->last_work;
	s->last_thread = op->thread;
	if (s->is_by_memory)
		step->by_memory = sc_signal_alone(step);
}

struct sc_interval sc_order_next(struct sc_order *o, const struct sc_step *step,
				 const struct sc_stream *s, struct sc_clock **clock)
{
	struct sc_context *c = s->context;
	struct sc_stream *b = sc_stream_is_legacy(s) ? sc_context_streams(c) : NULL;

	*clock = sc_clock_get(s->tail.base);
	if (step->inside)
		sc_clock_join(&o->pool, clock, sc_host_clock(&o->host, step));
	else
		sc_host_join_into(&o->host, step, clock);
	sc_context_join_awaited(&o->streams, s, clock);
	for (; b; b = b->next)
		if (sc_stream_is_blocking(b))
			sc_clock_join_point(&o->pool, clock, &b->tail);
	if (c->legacy && sc_stream_is_blocking(s))
		sc_clock_join_point(&o->pool, clock, &c->legacy->tail);
	return (struct sc_interval){.start = *clock,
				    .lane = s->tail.lane,
				    .position = step->sequence + 1,
				    .entered = step->sequence + 1};
}

static void create_context(struct sc_order *o, const struct sc_op *op)
{
	struct sc_context *c = sc_context_of(&o->streams, op->context);

	c->device = op->device;
	c->has_sync_memops = op->flags & SC_FLAG_SYNC_MEMOPS;
	c->is_primary = (op->flags & SC_FLAG_PRIMARY) != 0;
	c->green = sc_green_of(&o->streams, op->peer, op->device);
}

static void create_stream(struct sc_order *o, const struct sc_op *op)
{
	struct sc_stream *s = sc_stream_create(&o->streams, op->stream, op->context, op->flags);

	if (op->peer)
		s->green = sc_green_of(&o->streams, op->peer, op->device);
}

static void define(struct sc_order *o, const struct sc_op *op)
{
	switch (op->kind) {
	case SC_OP_DRIVER: o->driver = (unsigned)op->value; break;
	case SC_OP_CONTEXT_CREATE: create_context(o, op); break;
	case SC_OP_STREAM_CREATE:
		if (op->stream)
			create_stream(o, op);
		break;
	case SC_OP_EVENT_CREATE:
		sc_event_of(&o->events, op->object)->is_foreign = op->flags & SC_FLAG_INTERPROCESS;
		break;
	default: break;
	}
}

/* All host threads know that the work is complete, so that the lane means the same to them all when
 * another stream gets it. */
static bool is_known(const void *data, const struct sc_point *work)
{
	const struct sc_host *h = data;

	if (h->is_strict)
		return sc_host_all_know(h, work->lane, work->position);
	return sc_point_is_surely_in(work, h->clock);
}

/* No work of a destroyed context runs any more, so none of it can race from here on. */
static void destroy_context(struct sc_order *o, const struct sc_step *step)
{
	const struct sc_stream_known known = {is_known, &o->host};
	struct sc_context *c = sc_context_of(&o->streams, step->op->context);
	bool was_dead = c->is_dead;

	c->is_dead = 1;
	c->destroyed = step->sequence + 1;
	c->abandoned = sc_context_pending(c, o->host.clock, 0);
	sc_host_wait_learn_context(o, step, c);
	if (!was_dead)
		sc_context_forget_older(&o->streams, &known);
}

static void destroy_stream(struct sc_order *o, const struct sc_step *step)
{
	const struct sc_stream_known known = {is_known, &o->host};
	uint64_t *place = sc_u64_map_find(&o->streams.by_id, step->op->stream);

	if (place)
		sc_stream_destroy(&o->streams, (struct sc_stream *)(uintptr_t)*place,
				  step->sequence + 1, &known);
}

static void destroy_event(struct sc_order *o, const struct sc_op *op)
{
	struct sc_event *e = sc_event_find(&o->events, op->object);

	if (e)
		sc_event_forget(&o->events, e);
}

/* A callback of a graph, or of an enqueue that was not seen: it may come after anything so far, and
 * notify a thread. */
static void hand_over_all(struct sc_order *o)
{
	for (struct sc_context *c = o->streams.contexts; c; c = c->next) {
		struct sc_target all = sc_context_target(&o->streams, c, o->host.clock);

		sc_target_join(&o->pool, &o->callbacks.handed, &all);
		sc_target_put(&o->pool, &all);
	}
}

/* The green context that a call names, or that its context was made from. */
static struct sc_green *green_of(struct sc_order *o, const struct sc_op *op,
				 const struct sc_context *c)
{
	struct sc_green *named = sc_green_of(&o->streams, op->peer, op->device);

	return named ? named : c->green;
}

/* E-9: the event covers all work of a context so far, in all of its streams. */
static void record_context(struct sc_order *o, const struct sc_step *step)
{
	struct sc_context *c = sc_context_of(&o->streams, step->op->context);
	struct sc_event *e = sc_event_of(&o->events, step->op->object);

	sc_event_record(
		&o->events, e,
		sc_context_record(&o->streams, c, green_of(o, step->op, c), step->sequence + 1),
		step->sequence);
}

/* E-9: all later work of a context, in whatever streams, waits for the event. */
static void wait_context(struct sc_order *o, struct sc_step *step)
{
	struct sc_context *c = sc_context_of(&o->streams, step->op->context);
	struct sc_event *e = sc_event_of(&o->events, step->op->object);
	const struct sc_event_record *current = sc_event_bound(e);

	if (current)
		sc_context_wait(&o->streams, c, green_of(o, step->op, c), &current->snapshot,
				sc_event_begun(current));
	sc_host_wait_check_never(o, step, e);
	if (step->is_foreign)
		sc_order_note_unseen(o, step->sequence + 1, SC_DOUBT_FOREIGN);
}

/* NULL: the op names none. */
static struct sc_stream *stream_of_agent(struct sc_order *o, const struct sc_op *op)
{
	return op->stream ? sc_stream_of(&o->streams, op->stream, op->context) : NULL;
}

static void begin_agent(struct sc_order *o, struct sc_step *step)
{
	struct sc_stream *s = step->inside ? NULL : stream_of_agent(o, step->op);
	struct sc_clock *base = NULL;

	if (s) {
		sc_order_next(o, step, s, &base);
		sc_agent_begin_in(&o->agents, &o->host, s, base, step);
	} else {
		sc_agent_begin(&o->agents, &o->host, step);
	}
}

static void end_agent(struct sc_order *o, const struct sc_step *step)
{
	struct sc_stream *s = stream_of_agent(o, step->op);

	if (s)
		sc_agent_end_in(&o->agents, &o->host, s, step);
	else
		sc_agent_end(&o->agents, &o->host, step);
}

static void host(struct sc_order *o, struct sc_step *step)
{
	const struct sc_op *op = step->op;

	switch (op->kind) {
	case SC_OP_CONTEXT_DESTROY: destroy_context(o, step); break;
	case SC_OP_CONTEXT_RECORD: record_context(o, step); break;
	case SC_OP_CONTEXT_WAIT: wait_context(o, step); break;
	case SC_OP_STREAM_DESTROY: destroy_stream(o, step); break;
	case SC_OP_CALLBACK_BEGIN:
		if (!sc_callback_begin(&o->callbacks, op->link - 1, op->callback))
			hand_over_all(o);
		break;
	case SC_OP_CALLBACK_END:
		sc_callback_end(&o->callbacks, op->callback);
		step->inside = NULL; /* forgotten */
		break;
	case SC_OP_EVENT_DESTROY: destroy_event(o, op); break;
	case SC_OP_AGENT: begin_agent(o, step); break;
	case SC_OP_AGENT_END: end_agent(o, step); break;
	default: break;
	}
}

/* A captured record makes a captured event, which covers no work outside (E-13); a launch may
 * record one too (E-14). An external one becomes a node, which launches run (E-11). */
static void capture(struct sc_order *o, const struct sc_op *op)
{
	uint32_t event = op->kind == SC_OP_KERNEL ? op->peer : op->object;
	struct sc_event *e;

	if (!event || (op->kind != SC_OP_EVENT_RECORD && op->kind != SC_OP_KERNEL))
		return;
	e = sc_event_of(&o->events, event);
	e->is_used = 1;
	e->is_captured = 1;
	e->is_inside = op->kind == SC_OP_EVENT_RECORD && !op->value;
}

/* A definition that no thread of the program made, but the recorder: who waits for all threads to
 * know of something does not wait for that one. */
static bool is_of_no_thread(const struct sc_op *op)
{
	return !op->thread && sc_op_kind_class(op->kind) == SC_CLASS_DEFINE;
}

static void set_host_moment(struct sc_order *o, struct sc_step *step)
{
	if (step->inside)
		step->host = sc_callback_moment(step->inside, step->op);
	else if (!o->host.is_strict || is_of_no_thread(step->op))
		sc_order_set_host_now(o, &step->host);
	else
		step->host = sc_host_moment(&o->host, step, sc_host_clock(&o->host, step));
}

static void note_error(struct sc_order *o, const struct sc_op *op, uint64_t position)
{
	struct sc_context *c;

	if (!sc_order_is_sticky(op->result))
		return;
	c = sc_context_of(&o->streams, op->context);
	if (!c->faulted)
		c->faulted = position;
}

/* The parts one by one: compilers clear a struct of this size in a slow way. */
void sc_order_begin(struct sc_order *o, const struct sc_record *record, struct sc_step *step)
{
	sc_assert(record->sequence >= o->at);
	step->op = &record->op;
	step->sequence = record->sequence;
	step->stream = NULL;
	step->inside = NULL;
	step->is_enqueued = step->is_finished = step->is_known = step->is_foreign = 0;
	step->is_never = step->is_early = step->is_agent = 0;
	step->primary = 0;
	step->waiter = step->by_memory = step->executed = 0;
	step->transfer = (struct sc_transfer){0};
	step->when = (struct sc_interval){0};
	step->host = (struct sc_interval){0};
	o->at = record->sequence + 1;
}

void sc_order_step_routine(struct sc_order *o, const struct sc_record *record, struct sc_step *step)
{
	sc_assert(!record->op.callback && !(record->op.flags & (SC_FLAG_CAPTURED | SC_FLAG_NODE)));
	sc_order_begin(o, record, step);
	sc_order_enqueue(o, step);
	if (!step->host.position)
		set_host_moment(o, step);
}

void sc_order_step(struct sc_order *o, const struct sc_record *record, struct sc_step *step)
{
	const struct sc_op *op = &record->op;
	enum sc_op_class class = sc_op_kind_class(op->kind);
	bool is_done = sc_op_took_effect(op) || sc_agent_is_begun(op) || sc_op_begins_wait(op);

	sc_order_begin(o, record, step);
	if (op->callback)
		step->inside = sc_callback_find(&o->callbacks, op->callback);
	if (op->result)
		note_error(o, op, record->sequence + 1);
	if (op->flags & SC_FLAG_DEAD_HANDLE)
		is_done = 0; /* undefined: may do anything, promises nothing (S-8, E-7) */
	if (class == SC_CLASS_DEFINE)
		define(o, op);
	else if (op->flags & SC_FLAG_NODE)
		sc_graph_launch_node(o, record);
	else if (op->flags & SC_FLAG_CAPTURED)
		capture(o, op);
	else if (class == SC_CLASS_HOST && sc_host_sync(&o->host, step))
		;
	else if (op->kind == SC_OP_INSTANTIATE && (is_done || op->result))
		sc_graph_launch_instantiate(o, record);
	else if (op->phase == SC_PHASE_END)
		sc_host_wait_end(o, step);
	else if (class == SC_CLASS_WAIT && op->result == SC_RESULT_NOT_READY)
		sc_host_wait_not_ready(o, step);
	else if (is_done && class == SC_CLASS_HOST)
		host(o, step);
	else if (is_done && class == SC_CLASS_ENQUEUE)
		sc_order_enqueue(o, step);
	else if (is_done)
		sc_host_wait_step(o, step);
	else if (op->result != SC_RESULT_PENDING && !sc_order_is_sticky(op->result))
		sc_host_wait_failed(o, step);
	if (!step->host.position)
		set_host_moment(o, step);
}

void sc_order_drain(struct sc_order *o, const struct sc_step *step)
{
	struct sc_context *c = sc_context_of(&o->streams, step->op->context);

	if (step->op->kind == SC_OP_ALLOC)
		c->last_alloc = step->sequence + 1;
	else
		c->last_free = step->sequence + 1;
	if (o->profile == SC_PERMISSIVE)
		sc_host_wait_learn_context(o, step, c);
}

bool sc_order_is_handed(const struct sc_order *o, const struct sc_interval *x, bool in_callback)
{
	bool is_host = sc_interval_is_host(x);

	if ((o->host.is_strict || in_callback) &&
	    (is_host || sc_clock_at(o->host.clock, x->lane) >= x->position))
		return 1;
	sc_assert(
		!is_host); /* in the observed mode, what the host did comes before all later ops */
	if (sc_clock_at(o->callbacks.handed, x->lane) >= x->position)
		return 1;
	return sc_callbacks_hold(&o->callbacks, x);
}
