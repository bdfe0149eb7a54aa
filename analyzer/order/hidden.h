/* Hidden edges: calls whose effect on the order is not followed, so that nothing is proven on them.
 */
#ifndef SC_ANALYZER_ORDER_HIDDEN_H
#define SC_ANALYZER_ORDER_HIDDEN_H

#include "analyzer/model.h"

/* Looks at a record whose order was taken; may make an op of its stream of it. */
void sc_hidden_note(struct sc_analysis *a, const struct sc_record *r, struct sc_step *step);

#endif
