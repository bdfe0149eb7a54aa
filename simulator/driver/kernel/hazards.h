/* Hazards: what a launch did in shared memory without order, as sentences for the tool. */
#pragma once

#include "simulator/executor/hazard.h"

/* Tells the tool of each, as of the launch of that call (tally.h). */
void sim_hazards_tell(const struct exec_hazards *all, const char *kernel, uint64_t call);
