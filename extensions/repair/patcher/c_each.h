/* C each: an edit that concerns each stream of an array. */
#ifndef SC_EXTENSIONS_REPAIR_PATCHER_C_EACH_H
#define SC_EXTENSIONS_REPAIR_PATCHER_C_EACH_H

#include "extensions/repair/patcher/diff.h"
#include "extensions/repair/patcher/edit_text.h"

/* Adds the edit to the diff: before its second line a loop over the array that the first names a
 * stream of, with an event or a wait for each. Returns why it cannot be written, or NULL. */
const char *sc_c_each_write(struct sc_diff *d, const struct sc_edit *e,
			    const struct sc_edit_text *t);

#endif
