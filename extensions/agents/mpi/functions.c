/* The wrappers of MPI's functions (mpi.def): each hands its parameters on as whole registers. */
#include <stddef.h>
#include "extensions/agents/words.h"
#include "extensions/agents/wrap.h"
#include "extensions/agents/mpi/mpi.h"

#define MPI_CALL(name, count, way, ...)                                               \
	WORDS_WRAPPER(called_##name, int, count, sc_mpi_call, &sc_mpi_functions.name) \
	WORDS_WRAPPER(called_P##name, int, count, sc_mpi_call_other, &sc_mpi_functions.name)
#include "extensions/agents/mpi/mpi.def"

static const struct sc_wrapper wrappers[] = {
#define MPI_CALL(name, count, way, ...) SC_WRAPPER(mpi, name, called_##name, NULL)
#include "extensions/agents/mpi/mpi.def"
};

static const struct sc_wrapper others[] = {
#define MPI_CALL(name, count, way, ...) SC_WRAPPER(mpi, name, called_P##name, NULL)
#include "extensions/agents/mpi/mpi.def"
};

const struct sc_wrappers sc_mpi_wrappers = SC_WRAPPERS("MPI_", sc_mpi_table, wrappers);
const struct sc_wrappers sc_pmpi_wrappers = SC_WRAPPERS("PMPI_", sc_pmpi_table, others);
