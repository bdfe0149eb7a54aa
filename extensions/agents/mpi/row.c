/* The rows of mpi.def as data. */
#include "extensions/agents/mpi/row.h"

#define BUFFER(number, its_mode, its_shape, its_at, its_count, its_type)         \
	.use[number].mode = (its_mode), .use[number].shape = SC_MPI_##its_shape, \
	.use[number].at = (its_at), .use[number].count = (its_count),            \
	.use[number].type = (its_type)
#define SENDS(shape, at, count, type)	 BUFFER(SC_MPI_SENT, SC_READ, shape, at, count, type)
#define RECEIVES(shape, at, count, type) BUFFER(SC_MPI_RECEIVED, SC_WRITE, shape, at, count, type)
#define TO(rank)			 .use[SC_MPI_SENT].peer = (rank) + 1
#define FROM(rank)			 .use[SC_MPI_RECEIVED].peer = (rank) + 1
#define SENT_AT(places)			 .use[SC_MPI_SENT].place = (places)
#define RECEIVED_AT(places)		 .use[SC_MPI_RECEIVED].place = (places)
#define IF_SENDING(its_who)		 .use[SC_MPI_SENT].who = SC_MPI_##its_who
#define IF_RECEIVING(its_who)		 .use[SC_MPI_RECEIVED].who = SC_MPI_##its_who
#define FLOW(of_data)			 .flow = SC_FLOW_##of_data
#define AMONG(communicator)		 .group = (communicator) + 1

static const struct sc_mpi_row rows[] = {
#define MPI_CALL(name, count, its_way, ...) \
	{.way = SC_MPI_##its_way, .parameters = (count), __VA_ARGS__},
#include "extensions/agents/mpi/mpi.def"
};

struct sc_mpi_functions sc_mpi_functions, sc_pmpi_functions;

static const struct {
#define MPI_CALL(name, count, way, ...) SC_NAME_MEMBER(name, "MPI_" #name)
#include "extensions/agents/mpi/mpi.def"
} names = {
#define MPI_CALL(name, count, way, ...) SC_NAME(name, "MPI_" #name)
#include "extensions/agents/mpi/mpi.def"
};

static const struct {
#define MPI_CALL(name, count, way, ...) SC_NAME_MEMBER(name, "PMPI_" #name)
#include "extensions/agents/mpi/mpi.def"
} other_names = {
#define MPI_CALL(name, count, way, ...) SC_NAME(name, "PMPI_" #name)
#include "extensions/agents/mpi/mpi.def"
};

const struct sc_functions sc_mpi_table = {SC_FUNCTIONS(sc_mpi_functions, names)};
const struct sc_functions sc_pmpi_table = {SC_FUNCTIONS(sc_pmpi_functions, other_names)};

const struct sc_mpi_row *sc_mpi_row(const struct sc_library_function *function)
{
	return &rows[function - sc_mpi_table.list];
}
