/* Ops that may still be in flight when the host does something that requires them to have finished.
 *
 * The host was not seen to wait for them, but it may have been notified: by a callback, by the
 * other side of a semaphore (W-4), by a kernel that writes words in memory, or in a call that was
 * lost.
 */
#pragma once

#include "analyzer/model/model.h"

/* The finding becomes `possible`, with the doubt, if the op at that place of a lane may be over at
 * the step. */
void sc_in_flight_judge(const struct sc_analysis *a, uint32_t lane, uint64_t position,
			const struct sc_step *step, struct sc_finding *f);
/* A finding that was filed may follow from another one that a wait for the op ends (cause.h). */
void sc_in_flight_note(struct sc_analysis *a, uint32_t lane, uint64_t position,
		       const struct sc_step *step, struct sc_finding *kept);
