// Programs whose ranks share device memory and events on one node (rules B-18, E-12).
#ifndef SC_TESTCASES_RANKS_SHARED_H
#define SC_TESTCASES_RANKS_SHARED_H

#include "testcases/ranks/ranks.h"

// Memory of rank 0, which the others open.
static inline float *shared_memory(struct ranks r, size_t bytes)
{
	float *data = r.rank == 0 ? on_device(bytes) : NULL;
	cudaIpcMemHandle_t handle;

	if (r.rank == 0)
		CHECK(cudaIpcGetMemHandle(&handle, data));
	MPI_Bcast(&handle, sizeof(handle), MPI_BYTE, 0, MPI_COMM_WORLD);
	if (r.rank != 0)
		CHECK(cudaIpcOpenMemHandle((void **)&data, handle, cudaIpcMemLazyEnablePeerAccess));
	return data;
}

// An event of rank 0, which the others open.
static inline cudaEvent_t shared_event(struct ranks r)
{
	cudaIpcEventHandle_t handle;
	cudaEvent_t event = NULL;

	if (r.rank == 0) {
		CHECK(cudaEventCreateWithFlags(&event,
					       cudaEventInterprocess | cudaEventDisableTiming));
		CHECK(cudaIpcGetEventHandle(&handle, event));
	}
	MPI_Bcast(&handle, sizeof(handle), MPI_BYTE, 0, MPI_COMM_WORLD);
	if (r.rank != 0)
		CHECK(cudaIpcOpenEventHandle(&event, handle));
	return event;
}

// A message without content: its receiver goes on after its sender.
static inline void tell(int rank)
{
	MPI_Send(NULL, 0, MPI_BYTE, rank, 0, MPI_COMM_WORLD);
}

static inline void hear_from(int rank)
{
	MPI_Recv(NULL, 0, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// The same past streamcheck: what ranks send each other in such a communicator is not followed.
static inline MPI_Comm unfollowed(void)
{
	MPI_Comm copy;
	MPI_Request request;

	MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	return copy;
}

// A part of shared memory that a program uses for one of its steps.
#define PART (COUNT / 8)

// All ranks know that what `from` has enqueued is complete, but for streamcheck.
static inline void complete_unseen(struct ranks r, int from, cudaStream_t s, MPI_Comm unseen)
{
	if (r.rank == from)
		CHECK(cudaStreamSynchronize(s));
	MPI_Barrier(unseen);
}

// Nobody has waited for the device before all have enqueued what they have to, and nobody gives
// memory back that others use. The wait is one for new work, too, so it is none too many.
static inline int end_shared(struct ranks r, float *data)
{
	MPI_Barrier(MPI_COMM_WORLD);
	on_device(sizeof(float));
	MPI_Barrier(MPI_COMM_WORLD);
	if (r.rank != 0)
		CHECK(cudaIpcCloseMemHandle(data));
	return end();
}

#endif
