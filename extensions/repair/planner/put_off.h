/* Calls put off: what edits do that let a call which ends a lifetime happen later
 * (SC_EDIT_MOVE_CALL, SC_EDIT_WAIT_MOVE).
 *
 * What used a thing after its end may have failed, so between the two places the trace is as if
 * these calls had worked. The trace cannot be so where the address began anew in between.
 */
#pragma once

#include "extensions/repair/planner/applied_state.h"

/* True if an op is a call that ended something and does nothing else. */
bool sc_put_off_may(const struct sc_reader *r, const struct sc_op *op);
/* Takes each record before all else does: takes out what moves, and lets work what needs it. */
void sc_put_off_take(struct sc_applied *a, struct sc_record *r);
/* Puts what was taken out after the record at hand, which ends the call that it goes after. */
void sc_put_off_put(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *at);
/* At the end of the trace. */
void sc_put_off_end(struct sc_applied_edit *e);
