/* Requests: which operations are in flight, by the handles that the program has.
 *
 * Libraries give one handle to several requests if their operations were complete at once. So an
 * entry is found by the handle and by the place where the program keeps it. Where several entries
 * have both, or the place is another one, all of them count as complete, rather too early.
 */
#ifndef SC_INTERPOSER_MPI_REQUEST_H
#define SC_INTERPOSER_MPI_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include "interposer/mpi/buffer.h"

/* An operation that has begun. */
struct sc_mpi_flight {
	uint64_t sequence;  /* of the op AGENT */
	uint32_t exemption; /* of the page guard, or 0 */
};

/* A call returned the handle of an operation that it began, and wrote it there. */
void sc_mpi_request_begun(uint64_t handle, const void *place, struct sc_mpi_flight flight);
/* A call returned the handle of one that can be started, with these accesses. */
void sc_mpi_request_prepared(uint64_t handle, const void *place,
			     const struct sc_mpi_accesses *list);
/* What a request that can be started would do; false: it is none, or was not seen to be made. */
bool sc_mpi_request_kept(uint64_t handle, const void *place, struct sc_mpi_accesses *out);
/* It was started. */
void sc_mpi_request_started(uint64_t handle, const void *place, struct sc_mpi_flight flight);
/* The operation in flight that the handle in this place stands for, which stays so. */
bool sc_mpi_request_flight(uint64_t handle, const void *place, struct sc_mpi_flight *out);
/* Takes an operation in flight that the handle stands for, in this place the youngest, or in any
 * (NULL); false: there is none. Requests that cannot be started again are forgotten with it. */
bool sc_mpi_request_take(uint64_t handle, const void *place, struct sc_mpi_flight *out);
/* The program freed the request. */
void sc_mpi_request_freed(uint64_t handle, const void *place);

#endif
