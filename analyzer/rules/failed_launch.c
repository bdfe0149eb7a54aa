/* Rule 404: a launch that failed, and whose error the program seems not to have read.
 *
 * Whether a program asked for the error of a launch is not seen where the runtime is linked
 * statically, so only the strict profile reports it.
 */
#include <stdbool.h>
#include "analyzer/rules/family.h"

struct failures {
	struct sc_op first;
	uint64_t sequence; /* of the first */
	uint64_t count;
	bool went_on; /* later work of the stream was enqueued by the same thread */
};

static void note_failure(struct failures *s, const struct sc_op *op, uint64_t sequence)
{
	if (!s->count++) {
		s->first = *op;
		s->sequence = sequence;
	}
}

/* A launch that the driver refused returns its error to a statement that has no value. What it says
 * of captures is reported elsewhere (capture.c). */
static bool is_failed_launch(const struct sc_op *op)
{
	return op->kind == SC_OP_KERNEL && op->result > 0 &&
	       op->result < SC_RESULT_STREAM_CAPTURE_UNSUPPORTED &&
	       op->result != SC_RESULT_NOT_READY && !(op->flags & SC_FLAG_LIBRARY);
}

static bool goes_on(const struct failures *s, const struct sc_step *step)
{
	return s->count && step->is_enqueued && step->op->stream == s->first.stream &&
	       step->op->thread == s->first.thread;
}

/* A program that leaves with an error has said that it gave up. */
static void check_exit(struct failures *s, struct sc_analysis *a)
{
	struct sc_finding f;

	if (s->count && s->went_on) {
		f = sc_finding_begin(SC_RULE_404, NULL, 0, &s->first, s->sequence);
		f.count = s->count;
		f.confidence = SC_POSSIBLE;
		f.doubt = SC_DOUBT_QUERY;
		sc_finding_file(a, &f, NULL, &s->first);
	}
	s->count = 0;
}

static bool is_on(const struct sc_analysis_settings *settings)
{
	return settings->profile == SC_STRICT;
}

static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	const struct failures *s = state;

	(void)a;
	return s->count && !s->went_on;
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct failures *s = state;

	if (r->op.phase == SC_PHASE_END)
		return;
	if (r->op.kind == SC_OP_EXIT && !r->op.value)
		check_exit(s, a);
	if (is_failed_launch(&r->op))
		note_failure(s, &r->op, r->sequence);
	else if (goes_on(s, step))
		s->went_on = 1;
}

const struct sc_rule_family sc_rules_failed_launch = {
	.state_bytes = sizeof(struct failures),
	.is_on = is_on,
	.sees_routine = sees_routine,
	.step = check_record,
};
