/* NVSHMEM: what its functions do with memory of this process, and when that is over (B-22).
 *
 * Calls of the functions of shmem.def go to wrappers, which change no result. What they
 * enqueue in a stream is known by their parameters, as that of other libraries' calls
 * (interposer/library/enqueues.h). A call that blocks the host, or leaves its operation open, is
 * one of an agent beside the streams, as calls of MPI are (extensions/agents/mpi/agent.h): what the
 * library does meanwhile is its own.
 */
#pragma once

#include "extensions/agents/shmem/row.h"

#define SC_SHMEM_NOT_THERE 1 /* an error of its collectives */

/* Calls the function for the wrapper with this frame, and writes what it did. `by`, `number`:
 * those of struct sc_followed; without `by` the function is the one that was looked up. */
uint64_t sc_shmem_call(struct sc_library_function *function, struct sc_library_function *by,
		       uint64_t *parameter, double *number, const void *frame);
