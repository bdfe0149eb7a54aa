/* C events: an event of an edit, with a place from which both of its lines see it. */
#ifndef SC_EXTENSIONS_REPAIR_PATCHER_C_EVENT_H
#define SC_EXTENSIONS_REPAIR_PATCHER_C_EVENT_H

#include "extensions/repair/patcher/diff.h"
#include "extensions/repair/patcher/edit_text.h"

/* Adds the event, its record and its wait to the diff; else returns why they cannot be written. */
const char *sc_c_event_write(struct sc_diff *d, const struct sc_edit_text *t);

#endif
