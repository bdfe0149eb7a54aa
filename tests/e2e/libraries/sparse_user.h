// The ways of operand_user.cu that are about cuSPARSE and cuSOLVER.
#pragma once

#include <cuda_runtime.h>

// Work of the first stream and what the second one does beside it; false: there is no such way.
bool sparse_or_solver(const char *way, cudaStream_t first, cudaStream_t second);
