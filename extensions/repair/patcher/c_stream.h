/* C stream: an edit that gives a call another stream as its argument. */
#ifndef SC_EXTENSIONS_REPAIR_PATCHER_C_STREAM_H
#define SC_EXTENSIONS_REPAIR_PATCHER_C_STREAM_H

#include "extensions/repair/patcher/diff.h"
#include "extensions/repair/patcher/edit_text.h"

/* Adds the edit to the diff; else returns why it is not plain. */
const char *sc_c_stream_write(struct sc_diff *d, const struct sc_edit_text *t);

#endif
