/* NVSHMEM: what its functions do with memory of this process, and when that is over (B-22).
 *
 * Calls of the functions of shmem.def go to wrappers, which change no result. What they
 * enqueue in a stream is known by their parameters, as that of other libraries' calls
 * (interposer/library/enqueues.h). A call that blocks the host, or leaves its operation open, is
 * one of an agent beside the streams, as calls of MPI are (extensions/agents/mpi/agent.h): what the
 * library does meanwhile is its own. A program may look the functions up; then `caller` is NULL.
 */
#pragma once

#include "interposer/library/enqueues.h"
#include "extensions/agents/mpi/agent.h"
#include "extensions/agents/shmem/operand.h"

#define SC_SHMEM_NOT_THERE 1 /* an error of its collectives */

struct sc_shmem_call {
	struct sc_library_function *function;
	const struct sc_shmem_row *row;
	const uint64_t *parameter;
	void *real; /* function; NULL: there is none */
	bool is_followed;
	bool is_agents; /* what the library does meanwhile is its own */
	int error;	/* errno of the program */
	struct sc_enqueues *enqueues;
	struct sc_handle *stream;
	struct sc_mpi_flight flight;
};

/* A call begins, in the frame of the function that calls this; parameters are borrowed until it
 * ends. */
void sc_shmem_begin(struct sc_shmem_call *c, const void *frame, const void *caller);
/* The real function returned; `result`: in a row of a team its status, else anything. */
void sc_shmem_end(struct sc_shmem_call *c, const void *frame, uint64_t result);
/* Both, and the real function between them. */
uint64_t sc_shmem_call(struct sc_library_function *function, const uint64_t *parameter,
		       const void *caller);
