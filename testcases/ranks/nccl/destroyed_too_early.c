// Rank 1 leaves before the last broadcast. In the fixed program both abort what is in flight.
// expect: SC-174 at=broadcast proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
	connect_all(&p, p.comm);
	if (p.rank == 0)
		TRY(ncclBroadcast(p.data, p.data, COUNT, ncclFloat32, 0, p.comm,
				  p.stream)); // @broadcast
#ifdef FIXED
	CHECK(cudaStreamSynchronize(p.stream));
	TRY(ncclCommAbort(p.comm));
	TRY(ncclCommInitRank(&p.comm, p.ranks, shared_id(p.rank), p.rank));
	TRY(ncclAllReduce(p.data, p.result, COUNT, ncclFloat32, ncclSum, p.comm, p.stream));
#endif
	return end(&p);
}
