/* Operations of MPI in the trace: their beginning, their end, and what the page guard does
 * meanwhile.
 *
 * Memory that MPI uses is not protected: another process may read it, or a network card. What an
 * operation uses is watched without protection, so that its end by libc, and functions that read or
 * write it, are recorded.
 */
#ifndef SC_INTERPOSER_MPI_AGENT_H
#define SC_INTERPOSER_MPI_AGENT_H

#include "interposer/mpi/request.h"
#include "interposer/object/handle.h"
#include "trace/agent.h"

/* How an operation begins. */
struct sc_mpi_beginning {
	const struct sc_handle *stream; /* after the work of this stream; NULL: with the call */
	bool is_kept;			/* it may go on when the call has returned */
	enum sc_agent_ability ability;
	const struct sc_mpi_message *message; /* it is this one as well, or NULL */
};

/* Writes the op AGENT of the calling function. Nothing is written of an operation that touches no
 * bytes. With sc_self.busy raised. */
struct sc_mpi_flight sc_mpi_agent_begin_in(const struct sc_mpi_beginning *b,
					   enum sc_library_row row,
					   const struct sc_mpi_accesses *list);

/* The same of one that begins with the call. */
struct sc_mpi_flight sc_mpi_agent_begin(const struct sc_mpi_library *l, enum sc_library_row row,
					const struct sc_mpi_accesses *list, bool is_kept,
					const struct sc_mpi_message *message);
/* Id of the function's name in the trace. */
uint32_t sc_mpi_agent_name(enum sc_library_row row);
/* The call returned; a failed one began nothing. */
void sc_mpi_agent_result(struct sc_mpi_flight flight, int status);
/* The operation is complete, or was given up (enum sc_agent_end). */
void sc_mpi_agent_end(struct sc_mpi_flight flight, enum sc_agent_end how);
/* It is complete for what comes after the work that its stream has now. */
void sc_mpi_agent_end_in(struct sc_mpi_flight flight, uint32_t stream, uint32_t context);
/* The same for another stream; it goes on for its own. */
void sc_mpi_agent_pass(struct sc_mpi_flight flight, const struct sc_handle *stream);
/* And so is its message, from rank `peer` - 1 with tag `tag` - 1 if they are known. */
void sc_mpi_agent_end_message(struct sc_mpi_flight flight, enum sc_agent_end how, uint32_t peer,
			      uint32_t tag);
/* The program takes leave of the library. */
void sc_mpi_agent_leave(void);

#endif
