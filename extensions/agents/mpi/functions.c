/* The wrappers of MPI's functions (mpi.def): each hands its parameters on as whole registers. */
#include "extensions/agents/words.h"
#include "extensions/agents/mpi/mpi.h"

#define EXPORT __attribute__((visibility("default")))

#define MPI_CALL(name, count, way, ...)                                        \
	EXPORT int MPI_##name(P##count);                                       \
	EXPORT int MPI_##name(P##count)                                        \
	{                                                                      \
		return sc_mpi_call(SC_LIBRARY_ROW_MPI_##name, (W[]){A##count}, \
				   __builtin_frame_address(0));                \
	}
#include "extensions/agents/mpi/mpi.def"

#define MPI_CALL(name, count, way, ...)                                              \
	EXPORT int PMPI_##name(P##count);                                            \
	EXPORT int PMPI_##name(P##count)                                             \
	{                                                                            \
		return sc_mpi_call_other(SC_LIBRARY_ROW_MPI_##name, (W[]){A##count}, \
					 __builtin_frame_address(0));                \
	}
#include "extensions/agents/mpi/mpi.def"
