/* Touches: made of a note and a shape. */
#include "analyzer/touch.h"

#include "analyzer/shape.h"

static uint8_t traits_of(const struct sc_note *n, const struct sc_op *op, uint8_t mode)
{
	_Bool is_weak = n->result_waited || (n->source_staged && mode == SC_READ);
	_Bool is_polled = op->kind == SC_OP_VALUE_WAIT || op->kind == SC_OP_VALUE_WRITE ||
			  op->kind == SC_OP_NODE;

	return (uint8_t)((n->graph ? SC_TRAIT_GRAPH : 0) | (is_weak ? SC_TRAIT_WEAK : 0) |
			 (op->flags & SC_FLAG_LIBRARY ? SC_TRAIT_LIBRARY : 0) |
			 (is_polled ? SC_TRAIT_POLLED : 0));
}

struct sc_touch sc_touch_of(struct sc_note *note, uint32_t node, const struct sc_access *shape)
{
	struct sc_touch t = {.note = note,
			     .position = note->when.position,
			     .lane = note->when.lane,
			     .node = node,
			     .first = shape->base,
			     .end = sc_shape_end(shape),
			     .mode = shape->mode,
			     .known = shape->known,
			     .how = shape->how};

	t.traits = traits_of(note, sc_touch_op(&t), t.mode);
	return t;
}
