/* UCX: what its functions do with memory of the program, and when that is over (B-20).
 *
 * As for MPI (extensions/agents/mpi/mpi.h) calls of the functions of ucx.def go to wrappers, which
 * change no result. What a library of MPI does through UCX, and UCX itself, is not
 * the program's: only calls from other places are followed.
 *
 * A program sees that an operation is complete by the result of the call, by asking, or in its
 * callback. So callbacks are ours, and call the program's; those of the older functions, which have
 * no user data, stay the program's, and are known to have run when the progress that runs them
 * returns.
 */
#pragma once

#include <stdint.h>
#include "extensions/agents/ucx/row.h"

/* Calls the function for the caller of the wrapper with this frame, and writes what it
 * did. */
uint64_t sc_ucx_call(struct sc_library_function *function, uint64_t *parameter, const void *frame);
