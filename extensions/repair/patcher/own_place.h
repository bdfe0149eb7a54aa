/* Own place: the author's lines (cmds/judge/own_code.h) as places of edits. */
#pragma once

#include "cmds/judge/own_code.h"
#include "extensions/repair/planner/calls.h"
#include "extensions/repair/planner/edit.h"

/* How deep the lines of two ops are in their stacks; `data` is the struct sc_own. */
void sc_own_choose(void *data, const struct sc_op *first, const struct sc_op *second,
		   struct sc_repair_depth out[2]);
/* Which stacks lead through the line of a place (planner/calls.h): those that pass the program or
 * library that has it are looked up. */
void sc_own_find_calls(void *data, const struct sc_edit_place *place, const uint32_t *stacks,
		       size_t count, bool *out);
/* The line of a place, or NULL. */
const struct sc_frame *sc_own_frame(const struct sc_own *o, const struct sc_edit_place *place);
