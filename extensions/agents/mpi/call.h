/* Calls: one call of a function of MPI, while it is followed. */
#pragma once

#include <stdint.h>
#include "extensions/agents/followed.h"
#include "extensions/agents/mpi/agent.h"
#include "trace/agent.h"

struct sc_mpi_call {
	struct sc_followed of; /* first: ways get it */
	const struct sc_mpi_library *library;
	const struct sc_mpi_row *row;
};

static inline void *sc_mpi_pointer(const struct sc_mpi_call *c, unsigned parameter)
{
	return (void *)(uintptr_t)c->of.parameter[parameter];
}

/* The i-th int where a parameter points. */
static inline int sc_mpi_number(const struct sc_mpi_call *c, unsigned parameter, unsigned i)
{
	const int *list = sc_mpi_pointer(c, parameter);

	return list[i];
}

static inline int sc_mpi_call_real(const struct sc_mpi_call *c, int *error)
{
	return (int)sc_followed_run(&c->of, error);
}

/* What the call's operation does. */
void sc_mpi_call_describe(const struct sc_mpi_call *c, struct sc_mpi_accesses *out);
/* How an operation of the call begins; its record has the message, or NULL. */
struct sc_mpi_beginning sc_mpi_call_beginning(const struct sc_mpi_call *c,
					      const struct sc_mpi_accesses *list,
					      const struct sc_mpi_message *message);
/* Begins it (operation.h: one that is a message to others). */
struct sc_mpi_flight sc_mpi_call_begin(const struct sc_mpi_call *c,
				       const struct sc_mpi_accesses *list,
				       const struct sc_mpi_message *message);

/* completion.c: calls that get requests. */
int sc_mpi_complete(const struct sc_mpi_call *c, int *error);
int sc_mpi_ask(const struct sc_mpi_call *c, int *error);
int sc_mpi_give_up(const struct sc_mpi_call *c, int *error);
int sc_mpi_start(const struct sc_mpi_call *c, int *error);

/* window.c: one-sided communication. */
int sc_mpi_put(const struct sc_mpi_call *c, int *error);
int sc_mpi_settle(const struct sc_mpi_call *c, int *error);

/* exposure.c: memory of a window that other ranks may use. */
int sc_mpi_fence(const struct sc_mpi_call *c, int *error);
int sc_mpi_other_epoch(const struct sc_mpi_call *c, int *error);
int sc_mpi_expose(const struct sc_mpi_call *c, int *error);
int sc_mpi_conceal(const struct sc_mpi_call *c, int *error);
int sc_mpi_close(const struct sc_mpi_call *c, int *error);
/* The last call that began or ended an epoch of the window was a fence, after which one begins. */
bool sc_mpi_exposure_is_fenced(const struct sc_mpi_call *c);
/* This rank begins an operation of the window: between fences, others do so, too. */
void sc_mpi_exposure_see_put(const struct sc_mpi_call *c);

/* attached.c: memory that the program lends to MPI. */
int sc_mpi_attach(const struct sc_mpi_call *c, int *error);
int sc_mpi_detach(const struct sc_mpi_call *c, int *error);
/* MPI gives all of it back. */
void sc_mpi_detached(void);

/* partition.c: requests whose partitions are sent, or arrive, each for itself. */
int sc_mpi_divide(const struct sc_mpi_call *c, int *error);
int sc_mpi_ready(const struct sc_mpi_call *c, int *error);
int sc_mpi_arrive(const struct sc_mpi_call *c, int *error);
/* True if it is such a request. */
bool sc_mpi_partitions_are(uint64_t handle);
/* A request is started, and was; is complete, or given up; is freed. Other requests are none of
 * theirs. */
void sc_mpi_partitions_start(const struct sc_mpi_call *c, uint64_t handle);
void sc_mpi_partitions_started(uint64_t handle, int status);
void sc_mpi_partitions_end(uint64_t handle, enum sc_agent_end how);
void sc_mpi_partitions_forget(uint64_t handle);
