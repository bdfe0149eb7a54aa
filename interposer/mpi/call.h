/* Calls: one call of a function of MPI, while it is followed. */
#ifndef SC_INTERPOSER_MPI_CALL_H
#define SC_INTERPOSER_MPI_CALL_H

#include <stdint.h>
#include "interposer/mpi/agent.h"

struct sc_mpi_call {
	const struct sc_mpi_library *library; /* NULL: the call is not followed */
	const struct sc_mpi_row *row;
	enum sc_library_row number;
	const uint64_t *parameter;
	void *real; /* function */
};

static inline void *sc_mpi_pointer(const struct sc_mpi_call *c, unsigned parameter)
{
	return (void *)(uintptr_t)c->parameter[parameter];
}

/* The i-th int where a parameter points. */
static inline int sc_mpi_number(const struct sc_mpi_call *c, unsigned parameter, unsigned i)
{
	const int *list = sc_mpi_pointer(c, parameter);

	return list[i];
}

/* Calls the real function and nothing else. */
int sc_mpi_invoke(const struct sc_mpi_call *c);
/* The same of a call that is followed: the function sees the errno of the program in *error, and
 * leaves its own there; what it calls is not the program's. */
int sc_mpi_call_real(const struct sc_mpi_call *c, int *error);
/* What the call's operation does. */
void sc_mpi_call_describe(const struct sc_mpi_call *c, struct sc_mpi_accesses *out);

/* completion.c: calls that get requests. */
int sc_mpi_complete(const struct sc_mpi_call *c, int *error);
int sc_mpi_ask(const struct sc_mpi_call *c, int *error);
int sc_mpi_give_up(const struct sc_mpi_call *c, int *error);
int sc_mpi_start(const struct sc_mpi_call *c, int *error);

/* window.c: one-sided communication. */
int sc_mpi_put(const struct sc_mpi_call *c, int *error);
int sc_mpi_settle(const struct sc_mpi_call *c, int *error);
#endif
