// Ranks 0 and 2 have a communicator of their own, in which they do not agree. Rank 1 is alone in
// its own, and may do there what it likes.
//
// ranks: 3
// expect: SC-170 at=first proven
// expect: SC-170 at=other proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
	ncclComm_t half;

	TRY(ncclCommSplit(p.comm, p.rank % 2, 2, &half, NULL));
#ifdef FIXED
	TRY(ncclAllGather(p.data, p.result, COUNT / 4, ncclFloat32, half, p.stream));
	if (p.rank == 1)
		TRY(ncclAllReduce(p.data, p.result, COUNT, ncclFloat32, ncclSum, half, p.stream));
#else
	if (p.rank == 2)
		TRY(ncclAllReduce(p.data, p.result, COUNT, ncclFloat32, ncclSum, half,
				  p.stream)); // @other
	else
		TRY(ncclAllGather(p.data, p.result, COUNT / 4, ncclFloat32, half,
				  p.stream)); // @first
#endif
	TRY(ncclCommDestroy(half));
	return end(&p);
}
