/* Misuse: handles that are known to be dead. */
#ifndef SC_ANALYZER_RULES_MISUSE_H
#define SC_ANALYZER_RULES_MISUSE_H

#include "analyzer/state.h"

/* True if the event was destroyed not long ago. */
_Bool sc_misuse_is_dead_event(const struct sc_analysis *a, uint32_t id);

#endif
