/* Host waits: taken at the call's entry, learned at its return. */
#include "analyzer/order/host_wait.h"

#include <stdbool.h>
#include "analyzer/order/context_order.h"
#include "base/assert.h"
#include "base/slab.h"

struct sc_inflight {
	uint64_t sequence; /* of the BEGIN: key */
	struct sc_op op;
	struct sc_target covers; /* owned */
	struct sc_transfer transfer;
	uint8_t kind; /* enum sc_wait_kind */
	bool is_known;
	uint64_t record;
	UT_hash_handle hh;
};

/* Most calls end before another one begins: the last one that began is not in the table. */
static struct sc_inflight *take_inflight(struct sc_order *o, uint64_t sequence)
{
	struct sc_inflight *f = o->last_inflight;

	if (f && f->sequence == sequence) {
		o->last_inflight = NULL;
		return f;
	}
	HASH_FIND(hh, o->inflight, &sequence, sizeof(sequence), f);
	if (f)
		HASH_DEL(o->inflight, f);
	return f;
}

static void put_inflight(struct sc_order *o, struct sc_inflight *f)
{
	struct sc_inflight *former = o->last_inflight;

	if (former)
		HASH_ADD(hh, o->inflight, sequence, sizeof(former->sequence), former);
	o->last_inflight = f;
}

static void drop_inflight(struct sc_order *o, struct sc_inflight *f)
{
	sc_target_put(&o->pool, &f->covers);
	sc_slab_give(&o->inflights, f);
}

static bool is_inside(const struct sc_inflight *f, uint32_t context, uint32_t thread)
{
	return f->op.context == context && f->op.thread != thread;
}

uint64_t sc_host_wait_inside(const struct sc_order *o, uint32_t context, uint32_t thread)
{
	for (const struct sc_inflight *f = o->inflight; f; f = f->hh.next)
		if (is_inside(f, context, thread))
			return f->sequence + 1;
	if (o->last_inflight && is_inside(o->last_inflight, context, thread))
		return o->last_inflight->sequence + 1;
	return 0;
}

void sc_host_wait_fini(struct sc_order *o)
{
	while (o->inflight || o->last_inflight)
		drop_inflight(o, take_inflight(o, o->last_inflight ? o->last_inflight->sequence
								   : o->inflight->sequence));
	sc_slab_fini(&o->inflights);
}

void sc_host_wait_learn_context(struct sc_order *o, const struct sc_step *step,
				struct sc_context *c)
{
	struct sc_target all = sc_context_target(&o->streams, c, sc_host_clock(&o->host, step));

	sc_host_learn(&o->host, step, &all);
	sc_target_put(&o->pool, &all);
}

/* Notes an event that was never recorded here; false if others may have recorded it. */
bool sc_host_wait_check_never(struct sc_order *o, struct sc_step *step, struct sc_event *e)
{
	bool is_foreign = e->is_foreign || e->is_captured || o->has_hidden_records;

	if (e->is_foreign)
		o->foreign_event = step->sequence + 1;
	step->is_foreign = is_foreign;
	step->is_never = !is_foreign && !e->is_used;
	return step->is_never;
}

/* Keeps what a wait covers until its END. */
static void begin_wait(struct sc_order *o, const struct sc_step *step, struct sc_target covers,
		       uint8_t kind, uint64_t record)
{
	struct sc_inflight *f = take_inflight(o, step->sequence);

	if (f)
		drop_inflight(o, f);
	f = sc_slab_take(&o->inflights, sizeof(*f));
	f->sequence = step->sequence;
	f->op = *step->op;
	f->covers = covers;
	f->transfer = step->transfer;
	f->kind = kind;
	f->record = record;
	f->is_known = step->is_known;
	put_inflight(o, f);
}

static void note_known(struct sc_context *c, uint64_t position)
{
	if (c->known < position)
		c->known = position;
}

static bool is_query(const struct sc_op *op)
{
	return op->kind == SC_OP_EVENT_QUERY || op->kind == SC_OP_STREAM_QUERY;
}

static bool is_of_pool(const struct sc_op *op)
{
	return op->flags & SC_FLAG_POOL && is_query(op);
}

static bool is_luck(const struct sc_order *o, const struct sc_op *op)
{
	return op->flags & SC_FLAG_UNREAD || (o->doubts_queries && is_query(op));
}

static void finish_wait(struct sc_order *o, struct sc_step *step, const struct sc_target *covers,
			uint8_t kind, uint64_t record)
{
	struct sc_wait w = {.sequence = step->sequence,
			    .covers = *covers,
			    .kind = kind,
			    .thread = step->op->thread,
			    .object = step->op->object ? step->op->object : step->op->stream,
			    .record = record};

	if (is_luck(o, step->op)) {
		sc_luck_add(&o->pool, &o->host.luck, step->sequence + 1, covers, o->host.clock);
		w.kind = SC_WAIT_LUCK;
	} else if (is_of_pool(step->op)) {
		sc_luck_add(&o->pool, &o->host.pools, step->sequence + 1, covers, o->host.clock);
		if (step->op->result != SC_RESULT_NOT_READY)
			sc_host_learn_of_pool(&o->host, step, covers);
		step->is_finished = step->op->result != SC_RESULT_NOT_READY;
		w.kind = SC_WAIT_POOL;
	} else {
		sc_host_learn(&o->host, step, covers);
		step->is_finished = 1;
	}
	if (step->inside)
		return;
	sc_wait_log_add(&o->pool, &o->host.waits, &w);
	if (kind == SC_WAIT_CONTEXT && !o->host.is_strict)
		note_known(sc_context_of(&o->streams, step->op->context), step->sequence);
}

/* Takes what a call waits for: now if the record stands for the whole call, else at its END. */
void sc_host_wait_take(struct sc_order *o, struct sc_step *step, struct sc_target covers,
		       enum sc_wait_kind kind, uint64_t record)
{
	sc_assert(kind <= SC_WAIT_LUCK && record <= step->sequence);
	if (step->op->phase == SC_PHASE_BEGIN) {
		begin_wait(o, step, covers, kind, record);
		return;
	}
	finish_wait(o, step, &covers, kind, record);
	sc_target_put(&o->pool, &covers);
}

/* What another thread waited for is only observed; a wait for the same work is not called
 * redundant. */
static bool is_known(const struct sc_order *o, const struct sc_step *step,
		     const struct sc_target *covers)
{
	return !o->host.is_shared && o->host.thread == step->op->thread && !step->inside &&
	       sc_target_is_in(covers, sc_host_sure(&o->host));
}

enum sc_wait_kind sc_host_wait_kind(const struct sc_event *e, const struct sc_event_record *current)
{
	sc_assert(!current || e->is_used);
	if (!current)
		return e->is_foreign ? SC_WAIT_FOREIGN : SC_WAIT_NEVER;
	return current->launch ? SC_WAIT_LAUNCH : SC_WAIT_EVENT;
}

static void wait_host_event(struct sc_order *o, struct sc_step *step)
{
	struct sc_event *e = sc_event_of(&o->events, step->op->object);
	const struct sc_event_record *current = sc_event_bound(e);
	struct sc_target covers = {0};
	uint8_t kind = SC_WAIT_EVENT;

	if (sc_host_wait_check_never(o, step, e) || e->is_foreign)
		kind = sc_host_wait_kind(e, NULL);
	if (current) {
		covers.point = sc_point_get(&current->snapshot);
		covers.more = sc_clock_get(sc_event_begun(current));
		kind = sc_host_wait_kind(e, current);
	}
	step->is_known = current && !current->launch && is_known(o, step, &covers);
	sc_host_wait_take(o, step, covers, kind, current ? current->record : 0);
	if (step->is_foreign)
		sc_order_note_unseen(o, step->sequence + 1, SC_DOUBT_FOREIGN);
}

/* S-4: the texts do not say whether a blocking stream waits for the legacy stream's last op if the
 * blocking stream got no work after that op. */
static bool may_wait_for_legacy(const struct sc_order *o, const struct sc_stream *s)
{
	const struct sc_stream *legacy = s->context->legacy;

	return legacy && sc_stream_is_blocking(s) && !sc_point_is_in(&legacy->tail, o->host.clock);
}

void sc_host_wait_step(struct sc_order *o, struct sc_step *step)
{
	const struct sc_op *op = step->op;
	struct sc_target covers = {0};
	bool is_context = op->kind == SC_OP_CONTEXT_SYNC;

	sc_assert(sc_op_kind_class(op->kind) == SC_CLASS_WAIT);
	if (op->kind == SC_OP_EVENT_SYNC || op->kind == SC_OP_EVENT_QUERY) {
		wait_host_event(o, step);
		return;
	}
	if (is_context) {
		covers = sc_context_target(&o->streams, sc_context_of(&o->streams, op->context),
					   sc_host_clock(&o->host, step));
	} else {
		step->stream = sc_stream_of(&o->streams, op->stream, op->context);
		if (!step->stream)
			return;
		covers = sc_stream_target(&o->streams, step->stream, sc_host_clock(&o->host, step));
	}
	step->is_known = sc_target_is_any(&covers) && is_known(o, step, &covers) &&
			 !(step->stream && may_wait_for_legacy(o, step->stream));
	sc_host_wait_take(o, step, covers, is_context ? SC_WAIT_CONTEXT : SC_WAIT_STREAM, 0);
}

/* Whoever does not look at the answer, or does not get it, does the same after either one, and gets
 * the same verdict. */
static bool is_unread(const struct sc_op *op)
{
	return (op->flags & SC_FLAG_UNREAD || is_of_pool(op)) && op->result == SC_RESULT_NOT_READY;
}

/* A call returns: what was taken at its BEGIN is learned now. */
void sc_host_wait_end(struct sc_order *o, struct sc_step *step)
{
	uint64_t begin = step->op->link - 1;
	struct sc_inflight *f = take_inflight(o, begin);

	sc_assert(step->op->phase == SC_PHASE_END);
	if (!f)
		return;
	/* a damaged trace may name another call's BEGIN */
	if (f->op.kind == step->op->kind && (sc_op_took_effect(step->op) || is_unread(step->op))) {
		o->ended = f->op;
		o->ended.result = step->op->result;
		step->op = &o->ended;
		step->sequence = begin;
		step->transfer = f->transfer;
		step->is_known = f->is_known;
		finish_wait(o, step, &f->covers, f->kind, f->record);
	}
	drop_inflight(o, f);
}

void sc_host_wait_not_ready(struct sc_order *o, struct sc_step *step)
{
	const struct sc_op *op = step->op;
	struct sc_wait w = {.sequence = step->sequence,
			    .kind = SC_WAIT_NOT_READY,
			    .thread = op->thread,
			    .object = op->object ? op->object : op->stream};

	sc_assert(op->result == SC_RESULT_NOT_READY);
	if (is_unread(op))
		sc_host_wait_step(o, step);
	else if (!step->inside)
		sc_wait_log_add(&o->pool, &o->host.waits, &w);
}

/* What is before the call: of a context, an event, or a stream. */
static struct sc_target target_of(struct sc_order *o, const struct sc_step *step)
{
	const struct sc_op *op = step->op;
	struct sc_clock *host = sc_host_clock(&o->host, step);
	const uint64_t *place = sc_u64_map_find(&o->streams.by_id, op->stream);
	struct sc_event *e = sc_event_find(&o->events, (uint32_t)op->object);
	const struct sc_event_record *current = e ? sc_event_bound(e) : NULL;
	struct sc_target covers = {0};

	if (op->kind == SC_OP_CONTEXT_SYNC)
		return sc_context_target(&o->streams, sc_context_of(&o->streams, op->context),
					 host);
	if (op->kind == SC_OP_EVENT_WAIT || op->kind == SC_OP_EVENT_SYNC) {
		if (current)
			covers.point = sc_point_get(&current->snapshot);
	} else if (place) {
		covers = sc_stream_target(&o->streams, (struct sc_stream *)(uintptr_t)*place, host);
	}
	return covers;
}

void sc_host_wait_failed(struct sc_order *o, const struct sc_step *step)
{
	const struct sc_op *op = step->op;
	struct sc_wait w = {.sequence = step->sequence, .thread = op->thread};

	if (!op->result || step->inside)
		return;
	switch (op->kind) {
	case SC_OP_EVENT_RECORD:
		w.kind = SC_WAIT_NEVER;
		w.object = (uint32_t)op->object;
		break;
	case SC_OP_EVENT_WAIT:
		w.kind = SC_WAIT_EVENT;
		w.object = op->stream;
		break;
	case SC_OP_EVENT_SYNC:
	case SC_OP_STREAM_SYNC:
	case SC_OP_CONTEXT_SYNC: w.kind = SC_WAIT_STREAM; break;
	default: return;
	}
	w.covers = target_of(o, step);
	sc_wait_log_add(&o->pool, &o->failed, &w);
	sc_target_put(&o->pool, &w.covers);
}
