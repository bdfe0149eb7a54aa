/* Programmatic launches: kernels that start before the previous kernel is complete (section 9).
 *
 * A programmatic kernel may start as soon as the previous kernel of its stream did. If its code
 * waits for the grid that it depends on, its accesses come after the end of that kernel, and of
 * that kernel only: what did not wait itself is passed over. Kernels that are not in the stream's
 * order have a lane beside the stream's; the next ordinary op comes after all of them. Of a kernel
 * whose code is not known it is assumed that it waits.
 */
#pragma once

#include "analyzer/order/state.h"
#include "analyzer/order/step.h"

/* A kernel goes into the step's stream, whose tail already has what it comes after in any case. */
void sc_programmatic_launch(struct sc_order *o, struct sc_step *step);
