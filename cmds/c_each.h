/* C each: an edit that concerns each stream of an array. */
#ifndef SC_CMDS_C_EACH_H
#define SC_CMDS_C_EACH_H

#include "cmds/diff.h"
#include "cmds/edit_text.h"

/* Adds the edit to the diff: before its second line a loop over the array that the first names a
 * stream of, with an event or a wait for each. Returns why it cannot be written, or NULL. */
const char *sc_c_each_write(struct sc_diff *d, const struct sc_edit *e,
			    const struct sc_edit_text *t);

#endif
