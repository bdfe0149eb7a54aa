// Rank 0 reduces before it broadcasts, the others do it the other way round.
// expect: SC-170 at=first proven
// expect: SC-170 at=others proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
#ifndef FIXED
	if (p.rank == 0) {
		TRY(ncclAllReduce(p.data, p.result, COUNT, ncclFloat32, ncclSum, p.comm,
				  p.stream)); // @first
		TRY(ncclBcast(p.data, COUNT, ncclFloat32, 0, p.comm, p.stream));
		return end(&p);
	}
	TRY(ncclBroadcast(p.data, p.data, COUNT, ncclFloat32, 0, p.comm, p.stream)); // @others
	TRY(ncclAllReduce(p.data, p.result, COUNT, ncclFloat32, ncclSum, p.comm, p.stream));
#else
	TRY(ncclAllReduce(p.data, p.result, COUNT, ncclFloat32, ncclSum, p.comm, p.stream));
	if (p.rank == 0)
		TRY(ncclBcast(p.data, COUNT, ncclFloat32, 0, p.comm, p.stream)); // the same as
	else
		TRY(ncclBroadcast(p.data, p.data, COUNT, ncclFloat32, 0, p.comm, p.stream));
#endif
	return end(&p);
}
