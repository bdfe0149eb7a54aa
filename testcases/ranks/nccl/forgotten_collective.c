// Rank 1 has no data left, and waits for a last message of rank 0.
// ranks: 3
// hangs: rank 0 rank 1 rank 2
// expect: SC-174 at=reduce proven
// expect: SC-174 at=receive proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

static void reduce(struct process *p)
{
	TRY(ncclAllReduce(p->data, p->data, COUNT, ncclFloat32, ncclSum, p->comm,
			  p->stream)); // @reduce
}

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
	connect_two(&p);
	reduce(&p);
#ifndef FIXED
	if (p.rank != 1)
		reduce(&p);
#else
	reduce(&p);
#endif
	if (p.rank != 2)
		CHECK(cudaStreamSynchronize(p.stream));
	if (p.rank == 0)
		TRY(ncclSend(p.data, COUNT, ncclFloat32, 1, p.comm, p.stream));
	if (p.rank == 1)
		TRY(ncclRecv(p.result, COUNT, ncclFloat32, 0, p.comm, p.stream)); // @receive
	return end(&p);
}
