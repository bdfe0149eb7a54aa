/* Lifetimes: memory that begins or ends, for families whose ops do that in ways of their own. */
#pragma once

#include <stdbool.h>
#include "analyzer/rules/race/race.h"

/* Whether memory may have begun at this address without a record of that. */
bool sc_lifetime_may_be_unseen(struct sc_analysis *a, uint64_t address);
/* The memory begins where the note of the step's stream is. */
void sc_lifetime_begin(struct sc_analysis *a, struct sc_note *note, struct sc_allocation *memory);
/* The step ends the memory in its stream; races of what used it. */
void sc_lifetime_end_in_stream(struct sc_analysis *a, const struct sc_step *step,
			       struct sc_allocation *memory);
/* The same of any kind of end, of the uses by one device (negative: by any). */
void sc_lifetime_check_end(struct sc_analysis *a, const struct sc_step *step,
			   struct sc_allocation *memory, enum sc_race_end kind, int device);
