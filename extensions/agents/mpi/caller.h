/* Callers of MPI's functions: the library itself, or somebody else. */
#pragma once

#include <stdbool.h>

/* True if the place in code is in a library of MPI or of UCX. Keeps errno. */
bool sc_mpi_caller_is_library(const void *caller);
