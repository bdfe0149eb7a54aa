// Two communicators of the same ranks share a stream; rank 1 uses them the other way round, so that
// each rank waits in its first operation.
// hangs: rank 0 rank 1
// expect: SC-177 at=tensor proven
// expect: SC-177 at=data proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

static void reduce(struct process *p)
{
	TRY(ncclAllReduce(p->data, p->data, COUNT, ncclFloat32, ncclSum, p->comm,
			  p->stream)); // @tensor
}

static void gather(struct process *p, ncclComm_t comm)
{
	TRY(ncclAllGather(p->data, p->result, COUNT / 4, ncclFloat32, comm, p->stream)); // @data
}

int main(int argc, char **argv)
{
	struct process p = begin();
	bool is_swapped = false;
	ncclComm_t other;

	(void)argc, (void)argv;
	TRY(ncclCommInitRank(&other, p.ranks, shared_id(p.rank), p.rank));
	connect_all(&p, p.comm);
	connect_all(&p, other);
#ifndef FIXED
	is_swapped = p.rank == 1;
#endif
	if (is_swapped)
		gather(&p, other);
	reduce(&p);
	if (!is_swapped)
		gather(&p, other);
	TRY(ncclCommDestroy(other));
	return end(&p);
}
