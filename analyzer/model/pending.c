/* Pending: few at a time, one or two of a thread. */
#include "analyzer/model/pending.h"

static void drop(struct sc_pending *p, struct sc_coverage *c, size_t at)
{
	p->calls.items[at] = *sc_vector_last(&p->calls);
	p->calls.count--;
	c->calls_in_flight--;
}

static bool is_late(struct sc_coverage *c, bool is)
{
	c->late_calls += is;
	return is;
}

bool sc_pending_note(struct sc_pending *p, struct sc_coverage *c, const struct sc_record *r,
		     bool is_running)
{
	const struct sc_op *op = &r->op;

	if (op->phase == SC_PHASE_END) {
		for (size_t i = 0; i < p->calls.count; i++)
			if (p->calls.items[i] == op->link) {
				drop(p, c, i);
				return is_late(c, op->result && sc_op_kind_class(op->kind) ==
									SC_CLASS_ENQUEUE);
			}
		return false;
	}
	if (op->result != SC_RESULT_PENDING)
		return false;
	if (sc_op_kind_class(op->kind) != SC_CLASS_DEFINE)
		sc_vector_push(&p->calls, r->sequence + 1);
	return is_late(c, op->phase != SC_PHASE_BEGIN && is_running);
}

void sc_pending_finish(struct sc_pending *p, struct sc_coverage *c, const struct sc_reader *reader)
{
	struct sc_op op;

	for (size_t i = p->calls.count; i--;)
		if (!sc_reader_op(reader, p->calls.items[i] - 1, &op) ||
		    op.result != SC_RESULT_PENDING)
			drop(p, c, i);
}

void sc_pending_fini(struct sc_pending *p)
{
	sc_vector_fini(&p->calls);
}
