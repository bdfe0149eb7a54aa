/* Rules 130, 133, 324: what the driver says of a stream capture (G-1 to G-5). */
#include <string.h>
#include "analyzer/rules/tally.h"

#define UNSUPPORTED 900
#define INVALIDATED 901
#define MERGE	    902
#define UNMATCHED   903
#define UNJOINED    904
#define ISOLATION   905
#define IMPLICIT    906
#define CAPTURED    907
#define WRONG	    908

/* The rule that the result of a call belongs to, or 0. */
static unsigned rule_of(int32_t result)
{
	switch (result) {
	case UNSUPPORTED:
	case INVALIDATED:
	case IMPLICIT:
	case CAPTURED: return SC_RULE_130;
	case MERGE:
	case UNMATCHED:
	case UNJOINED:
	case ISOLATION:
	case WRONG: return SC_RULE_133;
	default: return 0;
	}
}

static void file(struct sc_analysis *a, unsigned rule, const struct sc_op *op, uint64_t sequence)
{
	struct sc_finding f = sc_finding_begin(rule, NULL, 0, op, sequence);

	sc_finding_file(a, &f, NULL, op);
}

#define RELAXED 2 /* CUstreamCaptureMode */

/* SC-324: of the calls that stricter modes refuse, cudaMalloc is the one that is documented. */
static void check_relaxed(struct sc_analysis *a, const struct sc_op *op, uint64_t sequence)
{
	if (op->result)
		return;
	if (op->kind == SC_OP_CAPTURE_BEGIN && op->value == RELAXED)
		a->relaxed = op->thread;
	else if (op->kind == SC_OP_CAPTURE_END && op->thread == a->relaxed)
		a->relaxed = 0;
	else if (op->kind == SC_OP_ALLOC && a->relaxed && op->thread == a->relaxed &&
		 !strncmp(sc_reader_string(a->reader, op->call), "cuMemAlloc", 10))
		sc_tally_count(a, SC_RULE_324, op, sequence, 1);
}

/* Reports only the first call that an invalidated capture refuses: that call ended the capture. */
void sc_rules_capture_step(struct sc_analysis *a, const struct sc_record *r,
			   const struct sc_step *step)
{
	const struct sc_op *op = &r->op;
	unsigned rule = rule_of(op->result);

	(void)step;
	check_relaxed(a, op, r->sequence);
	if (op->kind == SC_OP_CAPTURE_BEGIN && op->result == 0)
		a->capture_is_broken = 0;
	if (!rule || op->phase == SC_PHASE_END || op->flags & SC_FLAG_LIBRARY)
		return;
	if (op->result != INVALIDATED || !a->capture_is_broken)
		file(a, rule, op, r->sequence);
	a->capture_is_broken = 1;
}

void sc_rules_capture_finish(struct sc_analysis *a)
{
	(void)a;
}
