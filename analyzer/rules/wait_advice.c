/* Rules 308, 309, 322: the host waits for more than it needs, or asks without end.
 *
 * Counted by line (advice_tally.h).
 */
#include <stdbool.h>
#include "analyzer/rules/advice_tally.h"
#include "analyzer/rules/family.h"

#define BUSY_QUERIES 100000 /* "not ready" answers in a row */
#define THREADS	     64	    /* looked at; two that share a place only hide advice */

/* What a thread did last. */
struct waiting_thread {
	uint32_t thread;
	uint32_t object; /* that was asked for, or 0 */
	uint64_t queries;
	uint32_t stream;  /* of the kernel that was just launched or waited for, or 0 */
	bool is_launched; /* else waited for */
	uint64_t waited;  /* sequence of that wait */
	struct sc_op wait;
};

struct threads {
	struct waiting_thread by_id[THREADS]; /* by low bits */
};

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
		sc_advice_tally_count(a, SC_RULE_308, op, sequence, busy == 1 && used > 1);
}

/* ---- SC-309, SC-322 ---- */

static struct waiting_thread *thread_of(struct threads *s, uint32_t thread)
{
	struct waiting_thread *t = &s->by_id[thread % THREADS];

	if (t->thread != thread)
		*t = (struct waiting_thread){.thread = thread};
	return t;
}

static bool is_query(const struct sc_op *op)
{
	return op->kind == SC_OP_STREAM_QUERY || op->kind == SC_OP_EVENT_QUERY;
}

static void note_query(struct sc_analysis *a, struct waiting_thread *t, const struct sc_op *op,
		       uint64_t sequence)
{
	uint32_t object = op->object ? op->object : op->stream;

	t->queries = t->object == object ? t->queries + 1 : 1;
	t->object = object;
	if (t->queries == BUSY_QUERIES)
		sc_advice_tally_count(a, SC_RULE_309, op, sequence, 1);
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
static void note_kernel(struct sc_analysis *a, struct waiting_thread *t, const struct sc_step *step)
{
	if (t->stream && !t->is_launched)
		sc_advice_tally_count(a, SC_RULE_322, &t->wait, t->waited,
				      t->stream == step->op->stream);
	t->stream = is_for_device_only(a) ? step->op->stream : 0;
	t->is_launched = 1;
}

static bool waits_for_kernel(const struct waiting_thread *t, const struct sc_op *op)
{
	if (!t->stream || !t->is_launched)
		return 0;
	return (op->kind == SC_OP_STREAM_SYNC && op->stream == t->stream) ||
	       op->kind == SC_OP_CONTEXT_SYNC;
}

static void note_wait(struct waiting_thread *t, const struct sc_op *op, uint64_t sequence)
{
	t->is_launched = 0;
	t->waited = sequence;
	t->wait = *op;
}

/* Anything else between the two may be what the wait was for. */
static void note_other(struct sc_analysis *a, struct waiting_thread *t)
{
	if (t->stream && !t->is_launched)
		sc_advice_tally_count(a, SC_RULE_322, &t->wait, t->waited, 0);
	t->stream = 0;
}

static void note_thread(struct threads *s, struct sc_analysis *a, const struct sc_step *step,
			const struct sc_op *op, uint64_t sequence)
{
	struct waiting_thread *t = thread_of(s, op->thread);

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

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	const struct sc_op *op = &r->op;

	if (op->phase == SC_PHASE_END || sc_op_kind_class(op->kind) == SC_CLASS_DEFINE ||
	    op->flags & SC_FLAG_LIBRARY)
		return;
	if (op->kind == SC_OP_CONTEXT_SYNC && (op->result == 0 || sc_op_begins_wait(op)))
		check_context_sync(a, op, r->sequence);
	note_thread(state, a, step, op, r->sequence);
}

const struct sc_rule_family sc_rules_wait_advice = {
	.state_bytes = sizeof(struct threads),
	.is_on = sc_family_is_advice,
	.sees_all_routine = 1,
	.step = check_record,
};
