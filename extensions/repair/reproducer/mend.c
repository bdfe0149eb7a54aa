/* Mend: the planned kind of edit, if the slice has what it changes, else the order that is missing.
 */
#include "extensions/repair/reproducer/mend.h"

#include <stddef.h>

static bool ends_an_object(const struct sc_op *op)
{
	switch (op->kind) {
	case SC_OP_CONTEXT_DESTROY:
	case SC_OP_DISCARD:
	case SC_OP_FREE:
	case SC_OP_FREE_ASYNC:
	case SC_OP_HOST_FREE:
	case SC_OP_UNPIN:
	case SC_OP_EVENT_DESTROY:
	case SC_OP_STREAM_DESTROY:
	case SC_OP_GRAPH_DESTROY: return 1;
	default: return 0;
	}
}

const struct sc_slice_step *sc_mend_record(const struct sc_slice *s)
{
	const struct sc_slice_step *first = sc_slice_call(s, 1);

	for (size_t i = 0; i < s->steps.count; i++)
		if (s->steps.items[i].op.kind == SC_OP_EVENT_RECORD && !s->steps.items[i].side &&
		    s->steps.items[i].op.stream == first->op.stream &&
		    s->steps.items[i].place < first->place)
			return &s->steps.items[i];
	return NULL;
}

bool sc_mend_drops(const struct sc_slice *s, const struct sc_slice_step *step)
{
	if (step->side || (step->op.kind != SC_OP_EVENT_WAIT && step->op.kind != SC_OP_EVENT_SYNC))
		return 0;
	for (size_t i = 0; i < s->steps.count; i++)
		if (s->steps.items[i].op.kind == SC_OP_EVENT_RECORD &&
		    s->steps.items[i].op.object == step->op.object)
			return 0;
	return 1;
}

static bool is_of_device(const struct sc_op *op)
{
	return op->stream && sc_op_kind_class(op->kind) == SC_CLASS_ENQUEUE;
}

enum sc_mend sc_mend_of(const struct sc_slice *s, const struct sc_finding *f,
			const struct sc_edit *edit)
{
	const struct sc_slice_step *sides[] = {sc_slice_side(s, 1), sc_slice_side(s, 2)};
	const struct sc_op *first = &sc_slice_call(s, 1)->op, *second = &sc_slice_call(s, 2)->op;

	if (sc_slice_call(s, 1)->place > sc_slice_call(s, 2)->place) {
		second = first;
		first = &sc_slice_call(s, 2)->op;
	}
	if (sc_slice_call(s, 1) == sc_slice_call(s, 2) && first->kind == SC_OP_GRAPH_LAUNCH)
		return SC_MEND_EDGE;
	if (ends_an_object(&sides[0]->op))
		return f->rule == SC_RULE_120 ? SC_MEND_ONCE : SC_MEND_LATER;
	if (!sc_finding_lacks_order(f) && second->kind != SC_OP_EXIT &&
	    second->kind != SC_OP_CONTEXT_DESTROY)
		return SC_MEND_NONE;
	if (second->kind == SC_OP_KERNEL && second->flags & SC_FLAG_PROGRAMMATIC)
		return SC_MEND_ORDINARY;
	if (edit && edit->kind == SC_EDIT_MOVE && sc_mend_record(s))
		return SC_MEND_MOVE;
	if (edit && edit->kind == SC_EDIT_FREE_STREAM && second->kind == SC_OP_FREE_ASYNC)
		return SC_MEND_FREE_STREAM;
	if (second->kind == SC_OP_HOST_FREE && second->flags & SC_FLAG_FRAME)
		return SC_MEND_FRAME;
	if (!is_of_device(first) || (is_of_device(second) && second->stream == first->stream))
		return SC_MEND_NONE;
	return is_of_device(second) ? SC_MEND_EVENT : SC_MEND_SYNC;
}
