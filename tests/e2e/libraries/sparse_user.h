// The ways of operand_user.cu that are about cuSPARSE and cuSOLVER.
#ifndef SC_E2E_LIBRARIES_SPARSE_USER_H
#define SC_E2E_LIBRARIES_SPARSE_USER_H

#include <cuda_runtime.h>

// Work of the first stream and what the second one does beside it; false: there is no such way.
bool sparse_or_solver(const char *way, cudaStream_t first, cudaStream_t second);

#endif
