/* Applied edits: the trace as the changed program would have made it. */
#pragma once

#include "extensions/repair/planner/applied_state.h"

/* Lets a reader show the trace with these edits (borrowed) from its next rewind on; their flaw,
 * calls and streams are set while it is read. One that is NULL is left out. */
void sc_applied_begin(struct sc_applied *a, struct sc_reader *r, struct sc_trace_facts *facts,
		      struct sc_edit *const *edits, size_t count, uint32_t room);
/* Lets it show the trace as it is. */
void sc_applied_end(struct sc_applied *a, struct sc_reader *r);
