/* Allotting: registers of the text that never hold a value at once share a place, so that what a
 * warp has of registers stays in the cache. */
#pragma once

#include "simulator/executor/code/operand.h"

/* Gives all registers of decoded code their places, and sets how many bytes there are. */
void exec_allot(struct exec_decoder *d);
