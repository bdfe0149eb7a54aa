/* Rules 401 and 145: the program, or a context, ends while the device still works. */
#include <stdbool.h>
#include "analyzer/rules/pending.h"
#include "analyzer/order/context_order.h"

/* SC-145: it is another thread's work that a context goes with. */
static unsigned rule_of(const struct sc_stream *s, const struct sc_record *r)
{
	bool is_context = r->op.kind == SC_OP_CONTEXT_DESTROY;

	return is_context && s->last_thread != r->op.thread ? SC_RULE_145 : SC_RULE_401;
}

static void file(struct sc_analysis *a, const struct sc_stream *s, const struct sc_record *r,
		 const struct sc_step *step)
{
	struct sc_finding f = sc_finding_begin(rule_of(s, r), NULL, 0, &r->op, r->sequence);

	f.side[0].stream = 0;
	sc_finding_add_earlier(&f, s->last_work - 1, SC_SIDE_CALL);
	f.side[0].stream = s->id;
	f.fix = SC_FIX_SYNC_CONTEXT;
	f.fix_device = s->context->device;
	f.fix_before = r->sequence + 1;
	sc_pending_judge(a, s->tail.lane, s->last_work, step, &f);
	sc_finding_file(a, &f, NULL, &r->op);
}

static void check(struct sc_analysis *a, const struct sc_context *c, const struct sc_stream *s,
		  const struct sc_record *r, const struct sc_step *step)
{
	if (s && !c->faulted)
		file(a, s, r, step);
}

/* A program that leaves with an error has said that it gave up. */
static void check_exit(struct sc_analysis *a, const struct sc_record *r, const struct sc_step *step)
{
	for (struct sc_context *c = a->order.streams.contexts; c && !r->op.value; c = c->next)
		check(a, c, sc_context_pending(c, a->order.host.clock), r, step);
}

void sc_rules_exit_step(struct sc_analysis *a, const struct sc_record *r,
			const struct sc_step *step)
{
	const struct sc_context *c;

	if (r->op.kind == SC_OP_EXIT) {
		a->has_left = 1;
		check_exit(a, r, step);
	}
	if (a->has_left || r->op.kind != SC_OP_CONTEXT_DESTROY || !sc_op_took_effect(&r->op))
		return;
	c = sc_context_of(&a->order.streams, r->op.context);
	check(a, c, c->abandoned, r, step);
}

void sc_rules_exit_finish(struct sc_analysis *a)
{
	(void)a;
}
