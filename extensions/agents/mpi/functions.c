/* The wrappers of MPI's functions (mpi.def): each hands its parameters on as whole registers. */
#include "extensions/agents/words.h"
#include "extensions/agents/wrap.h"
#include "extensions/agents/mpi/mpi.h"

#define MPI_CALL(name, count, way, ...)                                                  \
	WORDS_WRAPPER(called_##name, int, count, sc_mpi_call, SC_LIBRARY_ROW_MPI_##name) \
	WORDS_WRAPPER(called_P##name, int, count, sc_mpi_call_other, SC_LIBRARY_ROW_MPI_##name)
#include "extensions/agents/mpi/mpi.def"

static const struct sc_wrapper wrappers[] = {
#define MPI_CALL(name, count, way, ...) SC_WRAPPER_CALLED(MPI_##name, "MPI_" #name, called_##name)
#include "extensions/agents/mpi/mpi.def"
};

static const struct sc_wrapper others[] = {
#define MPI_CALL(name, count, way, ...) \
	SC_WRAPPER_CALLED(PMPI_##name, "PMPI_" #name, called_P##name)
#include "extensions/agents/mpi/mpi.def"
};

const struct sc_wrappers sc_mpi_wrappers = SC_WRAPPERS("MPI_", wrappers);
const struct sc_wrappers sc_pmpi_wrappers = SC_WRAPPERS("PMPI_", others);
