// Each rank begins with another communicator. Nothing was done in them before, so that the host
// waits in the call, and not yet the device; another thread could still answer.
// hangs: rank 0 rank 1
// expect: SC-174 at=tensor possible doubt=answer_cut_off
// expect: SC-174 at=data possible doubt=answer_cut_off
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
