/* Rules 301, 303 to 305, 311, 312, 317, 318: correct, but slow or redundant.
 *
 * Counted per call site and reported at the end (advice_tally.c): a wait is only called redundant
 * if it was so every time, a pageable copy only counts if it moves much in all or comes back (a
 * loop), an object only lives too short if a line ends many of them, each begun after the one
 * before had ended.
 */
#include "analyzer/rules/advice.h"

#include <stdbool.h>
#include "analyzer/rules/advice_tally.h"
#include "analyzer/rules/family.h"

struct advice {
	uint32_t newest_event, newest_stream; /* ids grow */
	bool is_library_aware;		      /* a library was the last to wait for something */
};

static void count(struct sc_analysis *a, unsigned rule, const struct sc_step *step, bool is_hit)
{
	sc_advice_tally_count(a, rule, step->op, step->sequence, is_hit);
}

static bool is_host_wait(const struct sc_op *op)
{
	return op->kind == SC_OP_STREAM_SYNC || op->kind == SC_OP_EVENT_SYNC ||
	       op->kind == SC_OP_CONTEXT_SYNC;
}

/* SC-303. What a library waits for in its calls (ncclCommDestroy) is nothing to rely on. */
static void check_host_wait(struct advice *s, struct sc_analysis *a, const struct sc_step *step)
{
	bool is_library = (step->op->flags & SC_FLAG_LIBRARY) != 0;

	if (!step->is_finished || !is_host_wait(step->op) || step->is_never)
		return;
	if (!is_library)
		count(a, SC_RULE_303, step, step->is_known && !s->is_library_aware);
	s->is_library_aware = is_library && (s->is_library_aware || !step->is_known);
}

/* SC-311, SC-312: the line ends an object that began after the line ran last. */
static void count_end(struct sc_analysis *a, unsigned rule, const struct sc_step *step,
		      uint64_t began, uint64_t newest)
{
	struct sc_advice_tally *t;

	if (!step->op->stack)
		return;
	t = sc_advice_tally_of(a, rule, step->op, step->sequence);
	count(a, rule, step, began > t->mark);
	t->mark = newest;
}

/* SC-311, only while the device has work (H-3). */
static void check_free(struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_op *op = step->op;
	const struct sc_stream *last =
		sc_context_streams(sc_context_of(&a->order.streams, op->context));
	uint64_t unused;
	const struct sc_allocation *memory = sc_memory_find(&a->memory, op->dst, &unused);

	if (memory && memory->kind == SC_MEM_DEVICE && !memory->is_pool && last &&
	    last->last_work > memory->sequence)
		count_end(a, SC_RULE_311, step, memory->sequence, step->sequence + 1);
}

static void check_life(struct advice *s, struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_op *op = step->op;

	if (op->kind == SC_OP_EVENT_CREATE && op->object > s->newest_event)
		s->newest_event = op->object;
	else if (op->kind == SC_OP_STREAM_CREATE && op->stream > s->newest_stream)
		s->newest_stream = op->stream;
	if (!sc_op_took_effect(op))
		return;
	if (op->kind == SC_OP_EVENT_DESTROY)
		count_end(a, SC_RULE_312, step, op->object, s->newest_event);
	else if (op->kind == SC_OP_STREAM_DESTROY)
		count_end(a, SC_RULE_312, step, op->stream, s->newest_stream);
	else if (op->kind == SC_OP_FREE)
		check_free(a, step);
}

/* SC-317 (M-3) */
static void check_read(struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_allocation *memory = a->uses.count ? a->uses.items[0].allocation : NULL;
	struct sc_advice_tally *t;

	if (step->op->kind != SC_OP_HOST_READ || !memory || !memory->is_write_combined)
		return;
	t = sc_advice_tally_count(a, SC_RULE_317, step->op, step->sequence, 1);
	if (t && !t->allocation)
		t->allocation = memory->sequence;
}

/* SC-305: the stream waited for this very record before. */
static bool is_same_record(const struct sc_step *step)
{
	const struct sc_wait_log *log = &step->stream->waits;
	struct sc_wait now, before;

	if (!sc_wait_log_at(log, 0, &now))
		return 0;
	for (uint32_t i = 1; sc_wait_log_at(log, i, &before); i++)
		if (before.kind == SC_WAIT_EVENT && before.object == now.object &&
		    before.record == now.record)
			return 1;
	return 0;
}

static void check_stream_wait(struct sc_analysis *a, const struct sc_step *step)
{
	if (step->is_known && is_same_record(step)) {
		count(a, SC_RULE_305, step, 1);
		return;
	}
	count(a, SC_RULE_304, step, step->is_known);
	count(a, SC_RULE_305, step, 0);
}

/* Copies by a peer function know both contexts. */
void sc_advice_check_pool_copy(struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_op *op = step->op;
	struct sc_finding f;
	bool is_pool = 0;

	if (op->flags & SC_FLAG_LIBRARY || op->kind != SC_OP_COPY || !step->is_enqueued ||
	    op->flags & SC_FLAG_PEER || !(op->flags & SC_FLAG_OTHER_CONTEXT))
		return;
	for (size_t i = 0; i < a->uses.count; i++)
		is_pool |= a->uses.items[i].allocation->is_pool;
	if (!is_pool)
		return;
	f = sc_finding_begin(SC_RULE_318, NULL, 0, op, step->sequence);
	sc_finding_file(a, &f, NULL, op);
}

static const uint16_t kinds[] = {SC_OP_COPY,	      SC_OP_EVENT_WAIT,	   SC_OP_EVENT_SYNC,
				 SC_OP_STREAM_SYNC,   SC_OP_CONTEXT_SYNC,  SC_OP_EVENT_CREATE,
				 SC_OP_EVENT_DESTROY, SC_OP_STREAM_CREATE, SC_OP_STREAM_DESTROY,
				 SC_OP_FREE,	      SC_OP_HOST_READ,	   SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct advice *s = state;
	const struct sc_op *op = step->op;

	if (!step->inside)
		check_host_wait(s, a, step);
	if (op->flags & SC_FLAG_LIBRARY)
		return;
	check_read(a, step);
	if (step->inside)
		return;
	if (step->is_enqueued && op->kind == SC_OP_EVENT_WAIT && !step->is_never)
		check_stream_wait(a, step);
	else if (step->is_enqueued &&
		 (step->transfer.source_staged || step->transfer.result_waited))
		count(a, SC_RULE_301, step, 1);
	if (r->op.phase == SC_PHASE_END)
		return;
	check_life(s, a, step);
	sc_advice_check_pool_copy(a, step);
}

static void finish(void *state, struct sc_analysis *a)
{
	(void)state;
	sc_advice_tally_finish(a);
}

const struct sc_rule_family sc_rules_advice = {
	.state_bytes = sizeof(struct advice),
	.kinds = kinds,
	.is_on = sc_family_is_advice,
	.sees_all_routine = 1,
	.step = check_record,
	.finish = finish,
};
