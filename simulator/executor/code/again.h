/* Again: accesses by an address of which an access before them has found the shape.
 *
 * Unrolled loops access memory by one register and many offsets. Between two accesses of a basic
 * block nothing writes the register, and lanes that all take part in the second one have all taken
 * part in the first one, if that has no guard: lanes come together where a block begins only.
 */
#pragma once

#include "simulator/executor/code/operand.h"

/* Sets `known` and `again` of the accesses of a kernel that has its places (exec_allot). */
void exec_again_mark(const struct exec_decoder *d);
