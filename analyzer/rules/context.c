/* Rule 145: contexts that go while others use them. What is pending then is in exit.c. */
#include "analyzer/order/host_wait.h"
#include "analyzer/state.h"

static void file(struct sc_analysis *a, const struct sc_record *r, uint64_t earlier)
{
	struct sc_finding f = sc_finding_begin(SC_RULE_145, NULL, 0, &r->op, r->sequence);

	sc_finding_add_earlier(&f, earlier, SC_SIDE_CALL);
	sc_finding_file(a, &f, NULL, &r->op);
}

/* Calls with a stream of a context that is gone; the driver said that it does not work. */
static void check_stream(struct sc_analysis *a, const struct sc_record *r)
{
	uint64_t *place = sc_u64_map_find(&a->order.streams.by_id, r->op.stream);
	const struct sc_stream *s = place ? (const struct sc_stream *)(uintptr_t)*place : NULL;

	if (s && s->context->is_dead && s->context->destroyed && r->op.result)
		file(a, r, s->context->destroyed - 1);
}

/* Another thread is inside a call that waits for the context. */
static void check_waiting(struct sc_analysis *a, const struct sc_record *r)
{
	uint64_t begun = sc_host_wait_inside(&a->order, r->op.context, r->op.thread);

	if (begun)
		file(a, r, begun - 1);
}

void sc_rules_context_step(struct sc_analysis *a, const struct sc_record *r,
			   const struct sc_step *step)
{
	(void)step;
	if (a->has_left || r->op.phase == SC_PHASE_END ||
	    sc_op_kind_class(r->op.kind) == SC_CLASS_DEFINE)
		return;
	if (r->op.kind == SC_OP_CONTEXT_DESTROY && sc_op_took_effect(&r->op))
		check_waiting(a, r);
	else if (r->op.stream)
		check_stream(a, r);
}

void sc_rules_context_finish(struct sc_analysis *a)
{
	(void)a;
}
