/* Activity records of the simulated device: what its engines did, and when.
 *
 * The part of CUPTI's activity API that the recorder uses, with CUPTI's own records. A record is
 * written when the work is done, into the tool's buffer; a full buffer is returned at once, on
 * the engine's thread, the last one by a flush. Without a buffer records are dropped and counted.
 */
#pragma once

#include <stdbool.h>

#include "simulator/driver/schedule/op.h"

/* True if the tool wants records of kernels. */
bool sim_activity_has_kernels(void);

/* An op has run. Called with the driver's lock. */
void sim_activity_note(const struct sim_op *op, uint64_t start_ns, uint64_t end_ns);
