/* Short names: long names of C++ functions as people say them.
 *
 * "void at::native::reduce_kernel<512, 1, at::ReduceOp<…>>(at::ReduceOp<…>)" is a line of its own,
 * or five, and what it says is at::native::reduce_kernel. Each name loses its tags ("[abi:v1]",
 * of which Numba writes a hundred letters). One of up to SC_SHORT_NAME_KEEP bytes then stays as it
 * is. A longer one loses its result type, its arguments, long template arguments, anonymous
 * namespaces and the marks of clones. Formats for programs (JSON, SARIF) keep whole names.
 */
#pragma once

#include "base/buf.h"

#define SC_SHORT_NAME_KEEP 60 /* bytes of a name that is short enough */

/* Appends the name, shortened. Safe on any text; text that is no C++ name is appended as it is. */
void sc_short_name_add(struct sc_buf *out, const char *name);
