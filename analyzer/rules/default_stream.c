/* Rules 302, 310, 327: ops that hold up streams which had nothing to do with each other.
 *
 * An op of the legacy stream waits for all blocking streams, and they for it (S-3); a synchronous
 * copy holds the host as well. That costs nothing unless it parts work that could have overlapped:
 * at least two other streams must have unfinished work, unordered with each other, when it comes,
 * and one of them must get more before the host has waited for it. A line is reported when it did
 * so again and again (advice_tally.c).
 */
#include <stdbool.h>
#include "analyzer/rules/advice_tally.h"
#include "analyzer/rules/family.h"

#define STREAMS_LOOKED_AT 16 /* the last used ones */

/* The last op that parted two streams, until it is known whether they went on. */
struct barrier {
	uint64_t sequence;
	uint32_t rule; /* 0: none */
	uint32_t lane;
	uint64_t position;
	uint32_t context;
	struct sc_op op;
};

static bool is_copy_that_waits(const struct sc_step *step)
{
	return step->op->kind == SC_OP_COPY && step->op->flags & SC_FLAG_SYNC &&
	       step->transfer.edge == SC_EDGE_END;
}

/* The rule that the op would break, if it holds anybody up. */
static unsigned rule_of(const struct sc_step *step)
{
	switch (step->op->kind) {
	case SC_OP_EVENT_RECORD:
	case SC_OP_EVENT_WAIT: return SC_RULE_327;
	case SC_OP_COPY:
		if (is_copy_that_waits(step))
			return SC_RULE_310;
		return step->op->flags & SC_FLAG_SYNC ? 0 : SC_RULE_302;
	case SC_OP_SET: return step->op->flags & SC_FLAG_SYNC ? 0 : SC_RULE_302;
	case SC_OP_KERNEL:
	case SC_OP_GRAPH_LAUNCH: return SC_RULE_302;
	default: return 0;
	}
}

static bool is_busy(const struct sc_analysis *a, const struct sc_stream *s)
{
	return s->last_work && s->tail.position &&
	       sc_clock_at(a->order.host.clock, s->tail.lane) < s->tail.position;
}

/* An event that another process may have recorded was waited for since (E-12). */
static bool may_be_ordered(const struct sc_analysis *a, const struct sc_stream *s,
			   const struct sc_stream *t)
{
	return a->order.foreign_event > s->last_work || a->order.foreign_event > t->last_work ||
	       sc_stream_knows(s, &t->tail) || sc_stream_knows(t, &s->tail);
}

/* Two streams that the legacy stream orders with itself, both busy, neither after the other. */
static bool parts_two(const struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_stream *busy = NULL, *s = sc_context_streams(step->stream->context);

	for (unsigned i = 0; s && i < STREAMS_LOOKED_AT; i++, s = s->next) {
		if (s == step->stream || !sc_stream_is_blocking(s) || !is_busy(a, s))
			continue;
		if (busy && !may_be_ordered(a, s, busy))
			return 1;
		busy = busy ? busy : s;
	}
	return 0;
}

static void remember(struct barrier *b, const struct sc_step *step, unsigned rule)
{
	*b = (struct barrier){.sequence = step->sequence,
			      .rule = rule,
			      .lane = step->when.lane,
			      .position = step->when.position,
			      .context = step->stream->context->id,
			      .op = *step->op};
}

/* A blocking stream continues after the barrier. The host knows of a copy that held it by then;
 * other barriers must still be in flight. */
static void confirm(struct barrier *b, struct sc_analysis *a, const struct sc_step *step)
{
	if (step->stream->last_work != step->sequence + 1 ||
	    step->stream->context->id != b->context || !sc_stream_is_blocking(step->stream))
		return;
	if (b->rule == SC_RULE_310 || sc_clock_at(a->order.host.clock, b->lane) < b->position)
		sc_advice_tally_count(a, b->rule, &b->op, b->sequence, 1);
	b->rule = 0;
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct barrier *b = state;
	unsigned rule;

	if (!step->is_enqueued || !step->stream || r->op.phase == SC_PHASE_END ||
	    r->op.flags & SC_FLAG_LIBRARY)
		return;
	rule = sc_stream_is_legacy(step->stream) ? rule_of(step) : 0;
	if (rule && parts_two(a, step))
		remember(b, step, rule);
	else if (b->rule)
		confirm(b, a, step);
}

const struct sc_rule_family sc_rules_default_stream = {
	.state_bytes = sizeof(struct barrier),
	.is_on = sc_family_is_advice,
	.sees_all_routine = 1,
	.step = check_record,
};
