/* Rules 402, 404: what a program leaves behind: an open capture, a launch that failed.
 *
 * Whether a program asked for the error of a launch is not seen where the runtime is linked
 * statically, so only the strict profile reports it.
 */
#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/state.h"
#include "base/heap.h"

/* A stream that captures. */
struct capture {
	uint32_t stream;
	uint64_t sequence;
	struct sc_op op;
};

struct sc_leftover {
	SC_VECTOR(struct capture) captures;
	struct sc_op failed; /* the first launch whose error the program seems not to have read */
	uint64_t failed_at;  /* its sequence */
	uint64_t failures;
	bool went_on; /* later work of the stream was enqueued by the same thread */
};

static struct sc_leftover *leftover_of(struct sc_analysis *a)
{
	if (!a->leftover)
		a->leftover = sc_heap_xcalloc(1, sizeof(*a->leftover));
	return a->leftover;
}

/* ---- SC-402 ---- */

static void begin_capture(struct sc_analysis *a, const struct sc_op *op, uint64_t sequence)
{
	struct capture c = {.stream = op->stream, .sequence = sequence, .op = *op};

	sc_vector_push(&leftover_of(a)->captures, c);
}

static void file_open(struct sc_analysis *a, const struct capture *c, const struct sc_record *r)
{
	struct sc_finding f =
		sc_finding_begin(SC_RULE_402, &c->op, c->sequence, &r->op, r->sequence);

	sc_finding_file(a, &f, &c->op, &r->op);
}

/* The stream's capture is over; with `r` it was left open. */
static void end_capture(struct sc_analysis *a, uint32_t stream, const struct sc_record *r)
{
	struct sc_leftover *l = leftover_of(a);

	for (size_t i = 0; i < l->captures.count; i++) {
		if (l->captures.items[i].stream != stream)
			continue;
		if (r)
			file_open(a, &l->captures.items[i], r);
		l->captures.items[i] = l->captures.items[--l->captures.count];
		return;
	}
}

/* ---- SC-404 ---- */

static void note_failure(struct sc_analysis *a, const struct sc_op *op, uint64_t sequence)
{
	struct sc_leftover *l = leftover_of(a);

	if (!l->failures++) {
		l->failed = *op;
		l->failed_at = sequence;
	}
}

/* A launch that the driver refused returns its error to a statement that has no value. */
static bool is_failed_launch(const struct sc_op *op)
{
	return op->kind == SC_OP_KERNEL && op->result > 0 && op->result < 900 &&
	       op->result != SC_RESULT_NOT_READY && !(op->flags & SC_FLAG_LIBRARY);
}

static bool goes_on(const struct sc_leftover *l, const struct sc_step *step)
{
	return l->failures && step->is_enqueued && step->op->stream == l->failed.stream &&
	       step->op->thread == l->failed.thread;
}

static void file_failure(struct sc_analysis *a)
{
	const struct sc_leftover *l = a->leftover;
	struct sc_finding f = sc_finding_begin(SC_RULE_404, NULL, 0, &l->failed, l->failed_at);

	f.count = l->failures;
	f.confidence = SC_POSSIBLE;
	f.doubt = SC_DOUBT_QUERY;
	sc_finding_file(a, &f, NULL, &l->failed);
}

/* A program that leaves with an error has said that it gave up. */
static void check_exit(struct sc_analysis *a, const struct sc_record *r)
{
	struct sc_leftover *l = a->leftover;

	if (!l || r->op.value)
		return;
	for (size_t i = 0; i < l->captures.count; i++)
		file_open(a, &l->captures.items[i], r);
	sc_vector_clear(&l->captures);
	if (l->failures && l->went_on)
		file_failure(a);
	l->failures = 0;
}

void sc_rules_leftover_step(struct sc_analysis *a, const struct sc_record *r,
			    const struct sc_step *step)
{
	const struct sc_op *op = &r->op;

	if (op->phase == SC_PHASE_END)
		return;
	if (op->kind == SC_OP_CAPTURE_BEGIN && op->result == 0)
		begin_capture(a, op, r->sequence);
	else if (op->kind == SC_OP_CAPTURE_END && a->leftover)
		end_capture(a, op->stream, NULL);
	else if (op->kind == SC_OP_STREAM_DESTROY && a->leftover && op->result == 0)
		end_capture(a, op->stream, r);
	else if (op->kind == SC_OP_EXIT)
		check_exit(a, r);
	if (a->order.profile == SC_STRICT && is_failed_launch(op))
		note_failure(a, op, r->sequence);
	else if (a->leftover && goes_on(a->leftover, step))
		a->leftover->went_on = 1;
}

void sc_rules_leftover_finish(struct sc_analysis *a)
{
	if (!a->leftover)
		return;
	sc_vector_fini(&a->leftover->captures);
	free(a->leftover);
	a->leftover = NULL;
}
