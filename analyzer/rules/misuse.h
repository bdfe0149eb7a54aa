/* Misuse: handles that are known to be dead, and what refused calls are asked, too. */
#ifndef SC_ANALYZER_RULES_MISUSE_H
#define SC_ANALYZER_RULES_MISUSE_H

#include <stdbool.h>
#include "analyzer/state.h"

/* SC-143, SC-318: of the step's op and its uses. */
void sc_misuse_read_only(struct sc_analysis *a, const struct sc_step *step);
void sc_misuse_pool_copy(struct sc_analysis *a, const struct sc_step *step);

/* True if the event was destroyed not long ago. */
bool sc_misuse_is_dead_event(const struct sc_analysis *a, uint32_t id);

#endif
