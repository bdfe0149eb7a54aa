/* Calls put off: taken out of the trace where they were, and put after another line. */
#include "extensions/repair/planner/put_off.h"

#include <stdbool.h>
#include <string.h>

#define NOT_READY 600 /* what a query answers */

bool sc_put_off_may(const struct sc_reader *r, const struct sc_op *op)
{
	if (op->phase != SC_PHASE_ONCE || op->result || op->callback ||
	    op->flags & (SC_FLAG_CAPTURED | SC_FLAG_NODE | SC_FLAG_LIBRARY | SC_FLAG_DEAD_HANDLE))
		return 0;
	switch (op->kind) {
	case SC_OP_FREE:
	case SC_OP_FREE_ASYNC:
	case SC_OP_UNPIN:
	case SC_OP_PIECE_FREE:
	case SC_OP_STREAM_DESTROY:
	case SC_OP_EVENT_DESTROY:
	case SC_OP_GRAPH_DESTROY:
	case SC_OP_TEXTURE_DESTROY: return 1;
	case SC_OP_HOST_FREE: /* without a name it may be realloc, which is more than an end */
		return !(op->flags & SC_FLAG_FRAME) && op->call &&
		       !strstr(sc_reader_string(r, op->call), "realloc");
	default: return 0;
	}
}

/* A line that runs twice before the other one does would need two calls there. */
static void take_out(struct sc_applied *a, struct sc_applied_edit *e, struct sc_record *r)
{
	if (e->put_off.count)
		sc_applied_flaw(e, SC_FLAW_APART);
	if (!sc_put_off_may(a->places.reader, &r->op) || r->attachment_bytes) {
		sc_applied_flaw(e, SC_FLAW_SEVERAL);
		return;
	}
	e->out[0] = e->put_off.count ? e->out[0] : r->sequence;
	e->out[1] = UINT64_MAX;
	sc_vector_push(&e->put_off, r->op);
	r->op.kind = SC_OP_NONE;
}

static bool begins_memory(const struct sc_op *op)
{
	return op->kind == SC_OP_ALLOC || op->kind == SC_OP_ALLOC_ASYNC || op->kind == SC_OP_PIN ||
	       op->kind == SC_OP_PIECE || op->kind == SC_OP_VMM_MAP;
}

/* What is put off is still there at an op: it works, and memory that begins is elsewhere. */
static void pass(struct sc_applied_edit *e, struct sc_op *op)
{
	enum sc_op_class class = sc_op_kind_class(op->kind);

	for (size_t i = 0; begins_memory(op) && i < e->put_off.count; i++)
		if (e->put_off.items[i].dst - op->dst < (op->bytes ? op->bytes : 1))
			sc_applied_flaw(e, SC_FLAW_TAKEN);
	if (class != SC_CLASS_ENQUEUE && class != SC_CLASS_WAIT && op->kind != SC_OP_INSTANTIATE)
		return;
	op->flags &= ~(uint32_t)SC_FLAG_DEAD_HANDLE;
	if (op->result != NOT_READY)
		op->result = 0;
}

/* A kernel that was launched meanwhile has what it lacked. */
static void forget_fault(const struct sc_applied_edit *e, struct sc_op *op)
{
	if (op->link > e->out[0] && op->link - 1 <= e->out[1] && e->out[1])
		op->kind = SC_OP_NONE;
}

void sc_put_off_take(struct sc_applied *a, struct sc_record *r)
{
	const uint32_t *place;

	for (size_t i = 0; i < a->edits.count; i++) {
		if (r->op.kind == SC_OP_KERNEL_FAULT)
			forget_fault(&a->edits.items[i], &r->op);
		else if (a->edits.items[i].put_off.count)
			pass(&a->edits.items[i], &r->op);
	}
	if (sc_op_kind_class(r->op.kind) == SC_CLASS_DEFINE || r->op.flags & SC_FLAG_NODE)
		return;
	for (place = sc_places_of(&a->places, r->op.stack, r->sequence); *place != SC_PLACE_END;
	     place++)
		for (uint32_t i = a->first_use.items[*place]; i; i = a->uses.items[i - 1].next) {
			struct sc_applied_edit *e = &a->edits.items[a->uses.items[i - 1].edit];

			if (sc_edit_moves_call(e->edit) && !a->uses.items[i - 1].is_after)
				take_out(a, e, r);
		}
}

void sc_put_off_put(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *at)
{
	if (!e->put_off.count || e->put_off.items[0].thread != at->thread)
		sc_applied_flaw(e, SC_FLAW_APART);
	if (a->captures)
		sc_applied_flaw(e, SC_FLAW_CAPTURED);
	for (size_t i = 0; i < e->put_off.count; i++) {
		struct sc_op op = e->put_off.items[i];

		op.time_ns = at->time_ns;
		sc_splice_after(&a->splice, &op);
		sc_applied_follow(a, &op);
		e->edit->calls++;
	}
	sc_vector_clear(&e->put_off);
	e->out[1] = a->at;
}

void sc_put_off_end(struct sc_applied_edit *e)
{
	if (e->put_off.count)
		sc_applied_flaw(e, SC_FLAW_APART);
	sc_vector_fini(&e->put_off);
}
