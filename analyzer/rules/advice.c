/* Rules 301, 303 to 305, 311, 312, 317: correct, but slow or redundant.
 *
 * Counted per call site and told at the end, because one run of a line says little: a wait is only
 * called redundant if it was so every time, a pageable copy only counts if it moves SLOW_BYTES in
 * all or comes back (a loop), an object only lives too short if a line ends LOOP_RUNS of them, each
 * begun after the one before had ended.
 */
#include <stdlib.h>
#include "analyzer/state.h"
#include "base/heap.h"

#define SLOW_BYTES (64 << 10)
#define SLOW_RUNS  2
#define LOOP_RUNS  64

struct sc_tally {
	uint64_t key; /* rule and call site */
	uint64_t sequence;
	uint64_t hits;	 /* as the rule says */
	uint64_t misses; /* the line was needed after all */
	uint64_t bytes;
	uint64_t mark; /* what was the newest when the line ran last */
	uint32_t rule;
	struct sc_op op;
	UT_hash_handle hh;
};

struct sc_habits {
	uint32_t newest_event, newest_stream; /* ids grow */
};

static struct sc_habits *habits(struct sc_analysis *a)
{
	if (!a->habits)
		a->habits = sc_heap_xcalloc(1, sizeof(*a->habits));
	return a->habits;
}

static struct sc_tally *tally_of(struct sc_analysis *a, unsigned rule, const struct sc_step *step)
{
	uint64_t site, key;
	struct sc_tally *t;

	site = sc_callsite_of(&a->callsites, a->reader, step->op->stack, step->sequence);
	key = sc_hash_add(site, rule);
	HASH_FIND(hh, a->tallies, &key, sizeof(key), t);
	if (!t) {
		t = sc_heap_xcalloc(1, sizeof(*t));
		t->key = key;
		t->rule = rule;
		HASH_ADD(hh, a->tallies, key, sizeof(t->key), t);
	}
	return t;
}

static void count(struct sc_analysis *a, unsigned rule, const struct sc_step *step, _Bool is_hit)
{
	struct sc_tally *t;

	if (!step->op->stack && !is_hit)
		return; /* without a stack no line comes twice */
	t = tally_of(a, rule, step);
	if (is_hit && !t->hits++) {
		t->sequence = step->sequence;
		t->op = *step->op;
	}
	t->misses += !is_hit;
	t->bytes += step->op->bytes;
}

static _Bool is_host_wait(const struct sc_op *op)
{
	return op->kind == SC_OP_STREAM_SYNC || op->kind == SC_OP_EVENT_SYNC ||
	       op->kind == SC_OP_CONTEXT_SYNC;
}

/* V-311, V-312: the line ends an object that began after the line ran last. */
static void count_end(struct sc_analysis *a, unsigned rule, const struct sc_step *step,
		      uint64_t began, uint64_t newest)
{
	struct sc_tally *t;

	if (!step->op->stack)
		return;
	t = tally_of(a, rule, step);
	count(a, rule, step, began > t->mark);
	t->mark = newest;
}

/* V-311, only while the device has work (H-3). */
static void check_free(struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_op *op = step->op;
	const struct sc_context *c = sc_context_of(&a->order.streams, op->context);
	uint64_t unused;
	const struct sc_allocation *memory = sc_memory_find(&a->memory, op->dst, &unused);

	if (memory && memory->kind == SC_MEM_DEVICE && !memory->is_pool && c->streams &&
	    c->streams->last_work > memory->sequence)
		count_end(a, SC_RULE_311, step, memory->sequence, step->sequence + 1);
}

static void check_life(struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_op *op = step->op;
	struct sc_habits *h = habits(a);

	if (op->kind == SC_OP_EVENT_CREATE && op->object > h->newest_event)
		h->newest_event = op->object;
	else if (op->kind == SC_OP_STREAM_CREATE && op->stream > h->newest_stream)
		h->newest_stream = op->stream;
	if (!sc_op_took_effect(op))
		return;
	if (op->kind == SC_OP_EVENT_DESTROY)
		count_end(a, SC_RULE_312, step, op->object, h->newest_event);
	else if (op->kind == SC_OP_STREAM_DESTROY)
		count_end(a, SC_RULE_312, step, op->stream, h->newest_stream);
	else if (op->kind == SC_OP_FREE)
		check_free(a, step);
}

/* V-317 (M-3) */
static void check_read(struct sc_analysis *a, const struct sc_step *step)
{
	if (step->op->kind == SC_OP_HOST_READ && a->uses.count &&
	    a->uses.items[0].allocation->is_write_combined)
		count(a, SC_RULE_317, step, 1);
}

/* V-305: the stream waited for this very record before. */
static _Bool is_same_record(const struct sc_step *step)
{
	const struct sc_wait *now = sc_wait_log_at(&step->stream->waits, 0), *before;

	for (uint32_t i = 1; now && (before = sc_wait_log_at(&step->stream->waits, i)); i++)
		if (before->kind == SC_WAIT_EVENT && before->object == now->object &&
		    before->record == now->record)
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

void sc_rules_advice_step(struct sc_analysis *a, const struct sc_record *r,
			  const struct sc_step *step)
{
	const struct sc_op *op = step->op;

	if (!a->settings.advice || op->flags & SC_FLAG_LIBRARY || step->inside)
		return;
	if (step->is_finished && is_host_wait(op) && !step->is_never)
		count(a, SC_RULE_303, step, step->is_known);
	else if (step->is_enqueued && op->kind == SC_OP_EVENT_WAIT && !step->is_never)
		check_stream_wait(a, step);
	else if (step->is_enqueued &&
		 (step->transfer.source_staged || step->transfer.result_waited))
		count(a, SC_RULE_301, step, 1);
	if (r->op.phase == SC_PHASE_END)
		return;
	check_life(a, step);
	check_read(a, step);
}

static _Bool is_worth_telling(const struct sc_analysis *a, const struct sc_tally *t)
{
	if (!t->hits)
		return 0;
	if (t->rule == SC_RULE_301)
		return t->bytes >= SLOW_BYTES || t->hits >= SLOW_RUNS;
	if (t->rule == SC_RULE_311 || t->rule == SC_RULE_312)
		return t->hits >= LOOP_RUNS;
	if (t->rule == SC_RULE_317)
		return 1;
	return !t->misses && !a->gap; /* only if it is certain */
}

void sc_rules_advice_finish(struct sc_analysis *a)
{
	while (a->tallies) {
		struct sc_tally *t = a->tallies;

		if (is_worth_telling(a, t)) {
			struct sc_finding f =
				sc_finding_begin(t->rule, NULL, 0, &t->op, t->sequence);

			f.count = t->hits;
			sc_finding_file(a, &f, NULL, &t->op);
		}
		HASH_DEL(a->tallies, t);
		free(t);
	}
	free(a->habits);
	a->habits = NULL;
}
