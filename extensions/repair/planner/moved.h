/* Moved operations: what edits do that enqueue an operation in another stream (SC_EDIT_STREAM). */
#pragma once

#include "extensions/repair/planner/applied_state.h"

/* Takes each op before all other edits do, and changes its stream if it moves. */
void sc_moved_act(struct sc_applied *a, struct sc_op *op);
/* Takes an op of the line that names the stream. */
void sc_moved_name(struct sc_applied_edit *e, const struct sc_op *op);
