/* Messages: what a call of MPI owes other processes, and what is written of it (trace/message.h).
 */
#pragma once

#include "extensions/agents/mpi/call.h"

/* What the call does; of one that begins a collective the number is taken. */
void sc_mpi_message_describe(const struct sc_mpi_call *c, struct sc_mpi_messages *out);
/* True if the call did what it was to do; also if a message was larger than its receive, which got
 * it then. */
bool sc_mpi_message_is_done(const struct sc_mpi_library *l, int status);
/* Writes them; the flight remembers them. */
void sc_mpi_message_begin(const struct sc_mpi_messages *list, struct sc_mpi_flight *flight);
/* The same from the one with that number on. */
void sc_mpi_message_begin_from(const struct sc_mpi_messages *list, unsigned first,
			       struct sc_mpi_flight *flight);
/* Writes what the call owes others, all in one. */
void sc_mpi_message_write(const struct sc_mpi_call *c, struct sc_mpi_flight *flight);
/* The call returned; one that blocks and received from anybody shows from whom, if it has a
 * status. */
void sc_mpi_message_result(const struct sc_mpi_library *l, const struct sc_mpi_flight *flight,
			   int status);
void sc_mpi_message_returned(const struct sc_mpi_call *c, const struct sc_mpi_flight *flight);
/* From whom a message came, as its status says, or NULL. */
struct sc_mpi_answer {
	uint32_t peer, tag; /* rank + 1 and tag + 1, or 0 */
};
struct sc_mpi_answer sc_mpi_message_answer(const struct sc_mpi_library *l, const void *status);
/* True if it received from anybody, or with any tag. */
bool sc_mpi_message_is_open(const struct sc_mpi_call *c);
/* The messages of a request are complete; `status` may be NULL or one that is ignored. */
void sc_mpi_message_end(const struct sc_mpi_library *l, const struct sc_mpi_flight *flight,
			const void *status, unsigned flags);
/* The address of the i-th status that the call fills, or NULL. */
const void *sc_mpi_message_status(const struct sc_mpi_call *c, unsigned i);
/* The call waits for so many requests, the first of which is message `first` - 1 (0: not
 * known). Returns its op, or SC_NOT_WRITTEN. */
uint64_t sc_mpi_message_wait(const struct sc_mpi_call *c, uint64_t first, unsigned count,
			     bool is_any);
/* That call, or one that leaves, returned. */
void sc_mpi_message_over(uint64_t sequence, int status);
/* Nothing is recorded now: the call is counted. */
void sc_mpi_message_miss(const struct sc_mpi_call *c);
/* The process takes leave of all others. Returns the op, or SC_NOT_WRITTEN. */
uint64_t sc_mpi_message_leave(const struct sc_mpi_call *c);

/* Calls without a buffer: those that make or free groups, look for a message, begin an epoch. */
int sc_mpi_make_group(const struct sc_mpi_call *c, int *error);
int sc_mpi_free_group(const struct sc_mpi_call *c, int *error);
int sc_mpi_go_on(const struct sc_mpi_call *c, int *error);
int sc_mpi_cancel(const struct sc_mpi_call *c, int *error);
