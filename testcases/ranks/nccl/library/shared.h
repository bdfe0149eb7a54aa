// Programs whose ranks share device memory on one node, and have NCCL only (rules B-18, B-19).
#ifndef SC_TESTCASES_RANKS_NCCL_LIBRARY_SHARED_H
#define SC_TESTCASES_RANKS_NCCL_LIBRARY_SHARED_H

#include "testcases/ranks/nccl/collectives.h"

// Memory of rank 0, which the others open.
static inline float *shared_memory(const struct process *p)
{
	float *data = p->rank == 0 ? on_device(BYTES) : NULL;
	cudaIpcMemHandle_t handle;

	if (p->rank == 0)
		CHECK(cudaIpcGetMemHandle(&handle, data));
	share_bytes(p->rank, &handle, sizeof(handle));
	if (p->rank != 0)
		CHECK(cudaIpcOpenMemHandle((void **)&data, handle, cudaIpcMemLazyEnablePeerAccess));
	return data;
}

// All hosts come here, and wait for no device.
static inline void meet(const struct process *p)
{
	ncclComm_t comm;

	TRY(ncclCommInitRank(&comm, p->ranks, shared_id(p->rank), p->rank));
	TRY(ncclCommDestroy(comm));
}

// Nobody waits for the device before all have enqueued what they have to, and nobody gives memory
// back that others use.
static inline int end_shared(struct process *p, float *data)
{
	meet(p);
	CHECK(cudaStreamSynchronize(p->stream));
	meet(p);
	if (p->rank != 0)
		CHECK(cudaIpcCloseMemHandle(data));
	meet(p);
	if (p->rank == 0)
		CHECK(cudaFree(data));
	CHECK(cudaStreamDestroy(p->stream));
	CHECK(cudaFree(p->data));
	CHECK(cudaFree(p->result));
	TRY(ncclCommDestroy(p->comm));
	return 0;
}

#endif
