/* Moved: loads whose values the kernel only stores again, and exchanges whose results it does not
 * want.
 *
 * It may take parts of them, or put them together with others, as the writing of a bit field does;
 * but no branch, address or sum depends on them. Through shared and local memory values are
 * followed as if each were one register. Where it is not known the value counts as used.
 */
#pragma once

#include "simulator/executor/code/operand.h"

/* Marks them in the decoded code; without memory for it, none. */
void exec_moved_mark(const struct exec_decoder *d);
