// What the programs of NCCL need: the process among the others, communicators, and device.h.
//
// Head comments as described in common.h, with
//
//   // ranks: 3                              how many processes take part; 2 if nothing is said
//   // hangs: rank 0 rank 1                  those that wait forever, in the racy program
//
// The processes are started with RANK, WORLD_SIZE and RANKS_FILE, a file that is theirs
// (library/run.c).
#ifndef SC_TESTCASES_RANKS_NCCL_COLLECTIVES_H
#define SC_TESTCASES_RANKS_NCCL_COLLECTIVES_H

#include <stdbool.h>
#include <unistd.h>
#include "testcases/ranks/device.h"
#include "testcases/ranks/nccl/library/nccl.h"

static inline void give_up(int code)
{
	_exit(code);
}

#define TRY(call)                                                                              \
	do {                                                                                   \
		ncclResult_t result = (call);                                                  \
                                                                                               \
		if (result != ncclSuccess) {                                                   \
			fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, result); \
			give_up(1);                                                            \
		}                                                                              \
	} while (0)

struct process {
	int rank, ranks;
	ncclComm_t comm; // of all
	cudaStream_t stream;
	float *data, *result;
};

// What rank 0 has there, for all.
void share_bytes(int rank, void *bytes, size_t count);
// The id that rank 0 makes, for all.
ncclUniqueId shared_id(int rank);

static inline struct process begin(void)
{
	struct process p = {.rank = atoi(getenv("RANK")), .ranks = atoi(getenv("WORLD_SIZE"))};
	int devices;

	CHECK(cudaGetDeviceCount(&devices));
	CHECK(cudaSetDevice(p.rank % devices)); // NVIDIA's library wants one for each
	p.data = on_device(BYTES);
	p.result = on_device(BYTES);
	p.stream = stream();
	TRY(ncclCommInitRank(&p.comm, p.ranks, shared_id(p.rank), p.rank));
	return p;
}

// NCCL connects ranks by their first operation in a communicator, and the host waits there until
// the others have come to it. Of later ones, the call returns at once.
static inline void connect_all(const struct process *p, ncclComm_t comm)
{
	TRY(ncclAllReduce(p->data, p->data, SMALL, ncclFloat32, ncclSum, comm, p->stream));
}

// The same for messages of rank 0 to rank 1.
static inline void connect_two(const struct process *p)
{
	if (p->rank == 0)
		TRY(ncclSend(p->data, SMALL, ncclFloat32, 1, p->comm, p->stream));
	if (p->rank == 1)
		TRY(ncclRecv(p->data, SMALL, ncclFloat32, 0, p->comm, p->stream));
}

static inline int end(struct process *p)
{
	CHECK(cudaStreamSynchronize(p->stream));
	CHECK(cudaStreamDestroy(p->stream));
	CHECK(cudaFree(p->data));
	CHECK(cudaFree(p->result));
	TRY(ncclCommDestroy(p->comm));
	return 0;
}

#endif
