/* C edits: an edit as lines of C, C++ or CUDA in a diff. */
#ifndef SC_EXTENSIONS_REPAIR_PATCHER_C_EDIT_H
#define SC_EXTENSIONS_REPAIR_PATCHER_C_EDIT_H

#include "extensions/repair/patcher/diff.h"
#include "extensions/repair/patcher/edit_text.h"

/* Adds the edit, all of whose names are known, to the diff; else returns why it is not plain. */
const char *sc_c_edit_write(struct sc_diff *d, const struct sc_edit *e,
			    const struct sc_edit_text *t);

#endif
