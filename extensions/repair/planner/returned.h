/* Returned functions: what edits do that wait before the function returns whose variable an
 * operation uses (SC_EDIT_FRAME). */
#pragma once

#include "extensions/repair/planner/applied_state.h"

/* Takes an op of the edit's line. */
void sc_returned_use(struct sc_applied *a, struct sc_applied_edit *e, const struct sc_op *op);
/* Takes each op, and waits before those that notice that such a function has returned. */
void sc_returned_act(struct sc_applied *a, const struct sc_op *op);
