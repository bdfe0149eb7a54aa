/* Rules 306 to 309, 322: habits that cost time and order nothing.
 *
 * Like all advice they are counted by line and reported at the end (tally.c). An event is checked
 * when it is destroyed, or at the end: only then is it certain that the event was not used.
 */
#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/rules/tally.h"
#include "base/heap.h"

#define TIMED_RECORDS 64     /* records of one event that make timing worth switching off */
#define BUSY_QUERIES  100000 /* "not ready" answers in a row */
#define UNUSED_MOST   4096 /* events that were destroyed without a use and are kept until the end */
#define THREADS	      64   /* looked at; two that share a place only hide advice */
#define RECENT	      1024 /* events that are found without a search */

/* What became of an event. */
struct habit_event {
	uint32_t id; /* key */
	bool has_timing, is_elapsed, is_used, is_foreign;
	uint64_t records;
	uint64_t created, recorded;  /* sequences */
	struct sc_op create, record; /* the first one */
	UT_hash_handle hh;
};

/* What a thread did last. */
struct habit_thread {
	uint32_t thread;
	uint32_t object; /* that was asked for, or 0 */
	uint64_t queries;
	uint32_t stream;  /* of the kernel that was just launched or waited for, or 0 */
	bool is_launched; /* else waited for */
	uint64_t waited;  /* sequence of that wait */
	struct sc_op wait;
};

struct sc_habit {
	struct habit_event *events;	    /* owned */
	struct habit_event *recent[RECENT]; /* borrowed: by low bits of the id, or NULL */
	uint32_t unused;
	struct habit_thread threads[THREADS];
};

static struct sc_habit *habit_of(struct sc_analysis *a)
{
	if (!a->habit)
		a->habit = sc_heap_xcalloc(1, sizeof(*a->habit));
	return a->habit;
}

/* ---- SC-306, SC-307 ---- */

static struct habit_event *event_of(struct sc_analysis *a, uint32_t id)
{
	struct sc_habit *h = habit_of(a);
	struct habit_event **recent = &h->recent[id % RECENT], *e = *recent;

	if (e && e->id == id)
		return e;
	HASH_FIND(hh, h->events, &id, sizeof(id), e);
	if (!e) {
		e = sc_heap_xcalloc(1, sizeof(*e));
		e->id = id;
		HASH_ADD(hh, h->events, id, sizeof(e->id), e);
	}
	*recent = e;
	return e;
}

static void judge_event(struct sc_analysis *a, const struct habit_event *e)
{
	bool is_timed_in_vain =
		e->has_timing && !e->is_elapsed && e->is_used && e->records >= TIMED_RECORDS;

	if (e->is_foreign || a->order.has_hidden_records)
		return;
	if (e->records) {
		sc_tally_count(a, SC_RULE_306, &e->record, e->recorded, !e->is_used);
		sc_tally_of(a, SC_RULE_306, &e->record, e->recorded)->hits +=
			e->is_used ? 0 : e->records - 1;
	}
	if (e->create.kind)
		sc_tally_count(a, SC_RULE_307, &e->create, e->created, is_timed_in_vain);
}

static void drop_event(struct sc_analysis *a, struct habit_event *e)
{
	a->habit->recent[e->id % RECENT] = NULL;
	HASH_DEL(a->habit->events, e);
	free(e);
}

static void create_event(struct sc_analysis *a, const struct sc_op *op, uint64_t sequence)
{
	struct habit_event *e = event_of(a, op->object);

	e->has_timing = !(op->flags & SC_FLAG_NO_TIMING);
	e->is_foreign = op->flags & (SC_FLAG_INTERPROCESS | SC_FLAG_LIBRARY);
	e->create = *op;
	e->created = sequence;
}

/* A record in the legacy stream orders the blocking streams (S-3), used or not. */
static void record_event(struct sc_analysis *a, const struct sc_op *op, uint64_t sequence,
			 bool is_barrier)
{
	struct habit_event *e = event_of(a, op->object);

	if (!e->records++) {
		e->record = *op;
		e->recorded = sequence;
	}
	e->is_used |= (op->flags & (SC_FLAG_CAPTURED | SC_FLAG_NODE | SC_FLAG_LIBRARY)) != 0 ||
		      is_barrier;
}

static void destroy_event(struct sc_analysis *a, const struct sc_op *op)
{
	struct habit_event *e = event_of(a, op->object);

	if (!e->is_used && ++a->habit->unused < UNUSED_MOST)
		return; /* a destroyed event may be used all the same: that is SC-117 */
	judge_event(a, e);
	drop_event(a, e);
}

static void note_event(struct sc_analysis *a, const struct sc_step *step, const struct sc_op *op,
		       uint64_t sequence)
{
	switch (op->kind) {
	case SC_OP_EVENT_CREATE: create_event(a, op, sequence); break;
	case SC_OP_EVENT_RECORD:
		record_event(a, op, sequence, step->stream && sc_stream_is_legacy(step->stream));
		break;
	case SC_OP_EVENT_ELAPSED:
		event_of(a, op->object)->is_elapsed = event_of(a, op->object)->is_used = 1;
		event_of(a, op->peer)->is_elapsed = event_of(a, op->peer)->is_used = 1;
		break;
	case SC_OP_EVENT_WAIT:
	case SC_OP_EVENT_SYNC:
	case SC_OP_EVENT_QUERY:
	case SC_OP_CONTEXT_RECORD:
	case SC_OP_CONTEXT_WAIT: event_of(a, op->object)->is_used = 1; break;
	case SC_OP_EVENT_DESTROY:
		if (sc_op_took_effect(op))
			destroy_event(a, op);
		break;
	default: break;
	}
}

/* ---- SC-308 ---- */

/* Only one stream has work, although several were used before: a wait for that stream would do. */
static void check_context_sync(struct sc_analysis *a, const struct sc_op *op, uint64_t sequence)
{
	struct sc_context *c = sc_context_of(&a->order.streams, op->context);
	unsigned used = 0, busy = 0;

	for (const struct sc_stream *s = sc_context_streams(c); s; s = s->next) {
		used += s->last_work != 0;
		busy += s->last_work &&
			sc_clock_at(a->order.host.clock, s->tail.lane) < s->tail.position;
	}
	if (busy)
		sc_tally_count(a, SC_RULE_308, op, sequence, busy == 1 && used > 1);
}

/* ---- SC-309, SC-322 ---- */

static struct habit_thread *thread_of(struct sc_analysis *a, uint32_t thread)
{
	struct habit_thread *t = &habit_of(a)->threads[thread % THREADS];

	if (t->thread != thread)
		*t = (struct habit_thread){.thread = thread};
	return t;
}

static bool is_query(const struct sc_op *op)
{
	return op->kind == SC_OP_STREAM_QUERY || op->kind == SC_OP_EVENT_QUERY;
}

static void note_query(struct sc_analysis *a, struct habit_thread *t, const struct sc_op *op,
		       uint64_t sequence)
{
	uint32_t object = op->object ? op->object : op->stream;

	t->queries = t->object == object ? t->queries + 1 : 1;
	t->object = object;
	if (t->queries == BUSY_QUERIES)
		sc_tally_count(a, SC_RULE_309, op, sequence, 1);
}

/* True if the kernel uses only memory that the host cannot access. */
static bool is_for_device_only(const struct sc_analysis *a)
{
	for (size_t i = 0; i < a->uses.count; i++) {
		uint8_t kind = a->uses.items[i].allocation->kind;

		if (kind != SC_MEM_DEVICE && kind != SC_MEM_ARRAY)
			return 0;
	}
	return a->uses.count > 0;
}

/* A kernel right after the wait for the previous kernel: that wait was not needed. */
static void note_kernel(struct sc_analysis *a, struct habit_thread *t, const struct sc_step *step)
{
	if (t->stream && !t->is_launched)
		sc_tally_count(a, SC_RULE_322, &t->wait, t->waited, t->stream == step->op->stream);
	t->stream = is_for_device_only(a) ? step->op->stream : 0;
	t->is_launched = 1;
}

static bool waits_for_kernel(const struct habit_thread *t, const struct sc_op *op)
{
	if (!t->stream || !t->is_launched)
		return 0;
	return (op->kind == SC_OP_STREAM_SYNC && op->stream == t->stream) ||
	       op->kind == SC_OP_CONTEXT_SYNC;
}

static void note_wait(struct habit_thread *t, const struct sc_op *op, uint64_t sequence)
{
	t->is_launched = 0;
	t->waited = sequence;
	t->wait = *op;
}

/* Anything else between the two may be what the wait was for. */
static void note_other(struct sc_analysis *a, struct habit_thread *t)
{
	if (t->stream && !t->is_launched)
		sc_tally_count(a, SC_RULE_322, &t->wait, t->waited, 0);
	t->stream = 0;
}

static void note_thread(struct sc_analysis *a, const struct sc_step *step, const struct sc_op *op,
			uint64_t sequence)
{
	struct habit_thread *t = thread_of(a, op->thread);

	if (is_query(op) && op->result == SC_RESULT_NOT_READY) {
		note_query(a, t, op, sequence);
		return;
	}
	t->queries = 0;
	if (op->kind == SC_OP_KERNEL && step->is_enqueued)
		note_kernel(a, t, step);
	else if (waits_for_kernel(t, op))
		note_wait(t, op, sequence);
	else
		note_other(a, t);
}

void sc_rules_habit_step(struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	const struct sc_op *op = &r->op;

	if (!a->settings.advice || op->phase == SC_PHASE_END)
		return;
	if (op->object)
		note_event(a, step, op, r->sequence);
	if (sc_op_kind_class(op->kind) == SC_CLASS_DEFINE || op->flags & SC_FLAG_LIBRARY)
		return;
	if (op->kind == SC_OP_CONTEXT_SYNC && op->result == 0)
		check_context_sync(a, op, r->sequence);
	note_thread(a, step, op, r->sequence);
}

void sc_rules_habit_finish(struct sc_analysis *a)
{
	bool is_whole = sc_reader_stats(a->reader)->closed && !a->gap;

	if (!a->habit)
		return;
	while (a->habit->events) {
		if (is_whole)
			judge_event(a, a->habit->events);
		drop_event(a, a->habit->events);
	}
	free(a->habit);
	a->habit = NULL;
}
