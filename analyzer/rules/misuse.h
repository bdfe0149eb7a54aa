/* Misuse: calls that are wrong whatever the order is, and which handles are destroyed. */
#pragma once

#include <stdbool.h>
#include "analyzer/model/model.h"

/* SC-143: writes of the step's op to memory that was registered read-only. */
void sc_misuse_check_read_only(struct sc_analysis *a, const struct sc_step *step);
/* True if the event was destroyed. */
bool sc_misuse_is_dead_event(const struct sc_analysis *a, uint32_t id);
