/* MPI: what its functions do with memory of the program, and when that is over (B-8 to B-17).
 *
 * Calls of the functions of mpi.def go to wrappers. A wrapper passes its arguments on as
 * they are, changes no result and no error, and while the real function runs, what it calls is not
 * the program's (sc_self.depth). Where nothing is recorded, before the program uses CUDA and before
 * MPI is there, it only calls the real function.
 *
 * Programs call MPI_NAME or, like Open MPI's Fortran bindings and tools that have an MPI_NAME of
 * their own, PMPI_NAME; both have one. A call of the one inside of the other is not the
 * program's, and neither is a call by the library itself, so each call is seen once.
 */
#pragma once

#include <stdint.h>
#include "extensions/agents/mpi/row.h"

/* Calls the function for the caller of the wrapper with this frame, and writes what it
 * did. */
int sc_mpi_call(struct sc_library_function *function, uint64_t *parameter, const void *frame);
/* The same for the function's other name: `function` is MPI_NAME. */
int sc_mpi_call_other(struct sc_library_function *function, uint64_t *parameter, const void *frame);
