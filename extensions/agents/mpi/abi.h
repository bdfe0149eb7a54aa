/* The library of MPI in this process: in which form it is compiled, and questions to it.
 *
 * No header of MPI is used: handles are kept in 64 bits, whatever their size is, and passed on so.
 * The questions are asked under their names PMPI_…, of the library that the first followed function
 * is from; a process has one. They are asked inside of a call of the program only, with arguments
 * that this call uses too, so that they are allowed and cannot fail where it would not.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum sc_mpi_abi {
#define MPI_ABI(id, handle_bytes, in_place, proc_null, root, undefined, fortran, cart, graph) \
	SC_MPI_##id,
#include "extensions/agents/mpi/abi.def"
	SC_MPI_ABIS
};

/* Numbers that differ between the forms. */
enum sc_mpi_constant {
#define MPI_CONSTANT(name, open_mpi, mpich) SC_MPI_##name,
#include "extensions/agents/mpi/abi.def"
	SC_MPI_CONSTANTS
};

enum sc_mpi_operation {
#define MPI_OPERATION(NAME, name, mpich) SC_MPI_OPERATION_##NAME,
#include "extensions/agents/mpi/abi.def"
	SC_MPI_OPERATIONS
};

/* How a datatype was made; UNKNOWN: in no way that is in abi.def. */
enum sc_mpi_combiner {
	SC_MPI_UNKNOWN,
#define MPI_COMBINER(name, open_mpi, mpich) SC_MPI_##name,
#include "extensions/agents/mpi/abi.def"
};

/* How a datatype was made, and with how many arguments of each kind. */
struct sc_mpi_envelope {
	enum sc_mpi_combiner combiner;
	int integers, addresses, types;
};

struct sc_mpi_contents {
	int *integers;	    /* room for as many as the envelope says, as the others */
	int64_t *addresses; /* MPI_Aint */
	uint64_t *types;
};

struct sc_mpi_library {
	uint64_t in_place;
	uint64_t world, no_communicator, status_ignored;
	int handle_bytes, proc_null, root, undefined, order_fortran, cart, graph;
	int any_source, any_tag, status_bytes, source_at, tag_at, truncated;
	uint64_t operation[SC_MPI_OPERATIONS]; /* handles; 0: not found */
	bool is_host_only;		       /* it says that it cannot use device memory */
	/* success is 0 */
	int (*type_size)(uint64_t type, int *size);
	int (*type_extent)(uint64_t type, int64_t *lower, int64_t *extent);
	int (*type_true_extent)(uint64_t type, int64_t *lower, int64_t *extent);
	int (*type_envelope)(uint64_t type, int *integers, int *addresses, int *types,
			     int *combiner);
	int (*type_contents)(uint64_t type, int integers, int addresses, int types, int *integer,
			     int64_t *address, void *of_types);
	int (*type_free)(void *type);
	int (*group_rank)(uint64_t communicator, int *rank);
	int (*group_size)(uint64_t communicator, int *size);
	int (*group_is_inter)(uint64_t communicator, int *flag);
	int (*group_remote_size)(uint64_t communicator, int *size);
	int (*error_class)(int error, int *out);
	int (*group_of)(uint64_t communicator, uint64_t *group);
	int (*group_translate)(uint64_t group, int count, const int *ranks, uint64_t to, int *out);
	int (*group_free)(uint64_t *group);
	/* neighbours */
	int (*group_topology)(uint64_t communicator, int *kind);
	int (*cart_dimensions)(uint64_t communicator, int *count);
	int (*graph_degree)(uint64_t communicator, int rank, int *count);
	int (*graph_degrees)(uint64_t communicator, int *in, int *out, int *is_weighted);
	int (*cart_shift)(uint64_t communicator, int dimension, int by, int *source, int *target);
	int (*graph_neighbours)(uint64_t communicator, int rank, int count, int *out);
	int (*graph_sources)(uint64_t communicator, int in, int *source, int *weight, int out,
			     int *target, int *target_weight);
	/* windows */
	int (*window_attribute)(uint64_t window, int which, void *value, int *is_there);
	int (*window_members)(uint64_t window, uint64_t *group);
	int (*members_count)(uint64_t group, int *count);
};

/* The library that the function is from; NULL: its form is not known, which the trace says. */
const struct sc_mpi_library *sc_mpi_library_of(void *function);
/* The library, if it is known by now. */
const struct sc_mpi_library *sc_mpi_library(void);

/* The number of that name. */
int sc_mpi_constant(enum sc_mpi_constant which);
/* A handle in memory. */
static inline uint64_t sc_mpi_handle_at(const struct sc_mpi_library *l, const void *address)
{
	uint32_t narrow;
	uint64_t wide;

	if (l->handle_bytes == sizeof(wide)) {
		__builtin_memcpy(&wide, address, sizeof(wide));
		return wide;
	}
	__builtin_memcpy(&narrow, address, sizeof(narrow));
	return narrow;
}

/* The number of a reduction's operation, from 1 on; 0: it is the program's own. */
uint64_t sc_mpi_operation(const struct sc_mpi_library *l, uint64_t handle);

bool sc_mpi_envelope(const struct sc_mpi_library *l, uint64_t type, struct sc_mpi_envelope *out);
/* What a type was made of; the types in it are put back by sc_mpi_put_types. */
bool sc_mpi_contents(const struct sc_mpi_library *l, uint64_t type, const struct sc_mpi_envelope *e,
		     const struct sc_mpi_contents *out);
void sc_mpi_put_types(const struct sc_mpi_library *l, const uint64_t *types, int count);
