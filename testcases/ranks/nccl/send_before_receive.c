// Both ranks wait for their send before they receive.
// hangs: rank 0 rank 1
// expect: SC-174 at=send proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
#ifdef FIXED
	TRY(ncclGroupStart());
#endif
	TRY(ncclSend(p.data, COUNT, ncclFloat32, 1 - p.rank, p.comm, p.stream)); // @send
#ifndef FIXED
	CHECK(cudaStreamSynchronize(p.stream));
#endif
	TRY(ncclRecv(p.result, COUNT, ncclFloat32, 1 - p.rank, p.comm, p.stream));
#ifdef FIXED
	TRY(ncclGroupEnd());
#endif
	return end(&p);
}
