/* Groups: the communicators and windows of the program, and under which name all processes in them
 * know them.
 *
 * The name of a group is made of the group that it was made of, how manieth that was, and which
 * processes are in it: all of these are equal in all of its processes, since they make groups of
 * one in the same order. Groups are followed from the first call of MPI on, also before anything is
 * recorded, and what is not recorded is counted. Groups that were made in other ways, or that join
 * processes of two groups, are not known; nothing is written of their messages.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "extensions/agents/mpi/abi.h"
#include "trace/message.h"

/* What a handle stands for. */
enum sc_mpi_handle_kind { SC_MPI_COMMUNICATOR, SC_MPI_WINDOW };

/* Id in the trace of the group with this handle, which is written with its first message; 0: it is
 * not known. */
uint32_t sc_mpi_group_id(const struct sc_mpi_library *l, enum sc_mpi_handle_kind kind,
			 uint64_t handle);
/* Counts groups that were made or freed: as long as it stays the same, handles have their ids. */
unsigned sc_mpi_group_changes(void);
/* The number of a collective of the group that begins, from 1 on. */
uint64_t sc_mpi_group_count(const struct sc_mpi_library *l, enum sc_mpi_handle_kind kind,
			    uint64_t handle);
/* Another message of the group is not recorded. */
void sc_mpi_group_miss(const struct sc_mpi_library *l, enum sc_mpi_handle_kind kind,
		       uint64_t handle);
/* A group was made of a communicator: `number` was that of the call. */
void sc_mpi_group_made(const struct sc_mpi_library *l, uint64_t of, uint64_t number,
		       enum sc_mpi_handle_kind kind, uint64_t handle);
/* The handle is the group's no longer. */
void sc_mpi_group_freed(enum sc_mpi_handle_kind kind, uint64_t handle);
