/* Structs of parameters that NVIDIA's generated_cuda_meta.h lacks, though cuda.h of the same
 * version declares the calls: CUPTI's package of CUDA 13.5 is older than the runtime's. When it has
 * one, the compiler refuses it here. */
#pragma once

typedef struct cuFabricCpyBatchAsync_params_st {
	size_t numOps;
	CUDA_FABRIC_COPY_BATCH_OP *opList;
	unsigned long long flags;
	CUstream hStream;
} cuFabricCpyBatchAsync_params;

typedef struct cuTensorMapSetAllocationClass_params_st {
	CUtensorMap *tensorMap;
	CUtensorMapAllocClass allocClass;
	CUtensorMapAllocClass *outAllocClass;
} cuTensorMapSetAllocationClass_params;
