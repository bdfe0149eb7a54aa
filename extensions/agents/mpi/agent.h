/* Operations of MPI in the trace: their beginning, their end, and what the page guard does
 * meanwhile.
 *
 * Memory that MPI uses is not protected: another process may read it, or a network card. What an
 * operation uses is watched without protection, so that its end by libc, and functions that read or
 * write it, are recorded.
 */
#pragma once

#include "extensions/agents/mpi/request.h"
#include "interposer/object/handle.h"
#include "trace/agent.h"

/* How an operation begins. */
struct sc_mpi_beginning {
	const struct sc_handle *stream; /* after the work of this stream; NULL: with the call */
	bool is_kept;			/* it may go on when the call has returned */
	enum sc_agent_ability ability;
	const struct sc_mpi_message *message; /* it is this one as well, or NULL */
	const void *frame; /* of the function that the program called; NULL: the caller's */
};

#define SC_MPI_ENDS 8

/* Ends that are written together: their operations are complete at the same moment. */
struct sc_mpi_ends {
	unsigned count; /* 0 at first */
	struct sc_op op[SC_MPI_ENDS];
};

/* Writes the op AGENT of the calling function. Nothing is written of an operation that touches no
 * bytes. With sc_self.busy raised. */
struct sc_mpi_flight sc_mpi_agent_begin_in(const struct sc_mpi_beginning *b,
					   struct sc_library_function *function,
					   const struct sc_mpi_accesses *list);

/* The op alone, without time, thread and stack: it may be written more than once. */
struct sc_op sc_mpi_agent_op(const struct sc_mpi_beginning *b, struct sc_library_function *function,
			     const struct sc_mpi_accesses *list);
/* Writes it, whose stack is there, with time and thread; `item` are its accesses, at least one. */
struct sc_mpi_flight sc_mpi_agent_write(struct sc_op *op, const struct sc_access *item,
					unsigned count, bool is_kept);
/* Whether the library can use that memory, as far as it said so. Asks the system. */
enum sc_agent_ability sc_mpi_agent_ability(const struct sc_mpi_library *l,
					   const struct sc_mpi_accesses *list);
/* Id of the stack of the call with this frame; NULL: of the caller. */
uint32_t sc_mpi_agent_stack(const void *frame);
/* The call returned; a failed one began nothing. */
void sc_mpi_agent_result(struct sc_mpi_flight flight, int status);
/* The operation is complete, or was given up (enum sc_agent_end). */
void sc_mpi_agent_end(struct sc_mpi_flight flight, enum sc_agent_end how);
/* It is complete for what comes after the work that its stream has now. */
void sc_mpi_agent_end_in(struct sc_mpi_flight flight, uint32_t stream, uint32_t context);
/* The same for another stream; it goes on for its own. */
void sc_mpi_agent_pass(struct sc_mpi_flight flight, const struct sc_handle *stream);
/* It is complete, or was given up, and so is its message, from rank `peer` - 1 with tag `tag` - 1
 * if they are known. Written by sc_mpi_ends_put at the latest. */
void sc_mpi_agent_end_message(const struct sc_mpi_flight *flight, enum sc_agent_end how,
			      uint32_t peer, uint32_t tag, struct sc_mpi_ends *ends);
void sc_mpi_ends_put(struct sc_mpi_ends *ends);
/* The program takes leave of the library. */
void sc_mpi_agent_leave(void);
