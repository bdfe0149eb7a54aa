/* Requests: which operations are in flight, by the handles that the program has.
 *
 * Libraries give one handle to several requests if their operations were complete at once. So an
 * entry is found by the handle and by the place where the program keeps it. Where several entries
 * have both, or the place is another one, all of them count as complete, rather too early.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "interposer/guard/hold.h"
#include "extensions/agents/mpi/buffer.h"

/* What a call owes another process, or others (trace/message.h). */
struct sc_mpi_message {
	uint32_t value; /* enum sc_message and flags */
	uint32_t group; /* id in the trace */
	uint32_t peer;	/* rank or root + 1; 0: any, or none */
	uint64_t tag;	/* + 1; 0: any. Of a collective its number */
	uint64_t bytes;
	uint64_t operation; /* of a reduction, from 1 on; 0: not known */
};

struct sc_mpi_messages {
	unsigned count;
	struct sc_library_function *function; /* that said so */
	const struct sc_mpi_row *row;
	struct sc_mpi_message item[SC_MPI_USES];
};

/* An operation that has begun. */
struct sc_mpi_flight {
	uint64_t sequence;	       /* of the op AGENT */
	uint64_t message[SC_MPI_USES]; /* of the ops MESSAGE, + 1; 0: none */
	struct sc_guard_hold hold;     /* of the page guard */
};
#define SC_MPI_NO_FLIGHT ((struct sc_mpi_flight){.sequence = UINT64_MAX})

/* What is in flight of many handles. */
struct sc_mpi_looked {
	unsigned messages; /* handles of messages that are written */
	unsigned others;   /* of other operations */
	uint64_t first;	   /* op + 1 of the first such message, or 0 */
};

/* True if anything was written of it. */
bool sc_mpi_flight_is(const struct sc_mpi_flight *flight);

/* A call returned the handle of an operation that it began, and wrote it there. */
void sc_mpi_request_begun(uint64_t handle, const void *place, struct sc_mpi_flight flight);
/* A call returned the handle of one that can be started, with these accesses; of the messages the
 * first is kept. */
void sc_mpi_request_prepared(uint64_t handle, const void *place, const struct sc_mpi_accesses *list,
			     const struct sc_mpi_messages *messages);
/* What a request that can be started would do; false: it is none, or was not seen to be made. */
bool sc_mpi_request_kept(uint64_t handle, const void *place, struct sc_mpi_accesses *out,
			 struct sc_mpi_messages *messages);
/* It was started. */
void sc_mpi_request_started(uint64_t handle, const void *place, struct sc_mpi_flight flight);
/* The operation in flight that the handle in this place stands for, which stays so. */
bool sc_mpi_request_flight(uint64_t handle, const void *place, struct sc_mpi_flight *out);
/* Looks for handles that lie in places `step` bytes apart. */
struct sc_mpi_looked sc_mpi_request_look(const uint64_t *handle, unsigned count, const void *place,
					 size_t step);
/* Takes operations in flight that the handle stands for, in this place or in any (NULL), the
 * youngest first; returns how many. Requests that cannot be started again are forgotten with them.
 */
unsigned sc_mpi_request_take(uint64_t handle, const void *place, struct sc_mpi_flight *out,
			     unsigned most);
/* The program freed the request. */
void sc_mpi_request_freed(uint64_t handle, const void *place);
