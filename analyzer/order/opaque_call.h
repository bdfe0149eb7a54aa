/* Opaque calls: calls whose effect on the order is not followed, so that nothing is proven on them.
 */
#pragma once

#include "analyzer/order/order.h"

/* Looks at a record whose order was taken; may make an op of its stream of it. */
void sc_opaque_call_note(struct sc_order *o, const struct sc_reader *reader,
			 const struct sc_record *r, struct sc_step *step);
/* The same of a launch that took effect. */
void sc_opaque_call_note_launch(struct sc_order *o, const struct sc_record *r);
