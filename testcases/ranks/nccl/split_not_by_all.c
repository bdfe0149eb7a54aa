// Rank 1 thinks that it is not meant, and goes on without a call of ncclCommSplit. It passes no
// color in the fixed program.
//
// hangs: rank 0 rank 1
// expect: SC-174 at=split proven
// expect: SC-174 at=receive proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
	ncclComm_t part = NULL;

	connect_two(&p);
#ifndef FIXED
	if (p.rank == 0)
#endif
		TRY(ncclCommSplit(p.comm, p.rank == 1 ? -1 : 0, 2, &part, NULL)); // @split
	if (part)
		TRY(ncclCommDestroy(part));
	if (p.rank == 0)
		TRY(ncclSend(p.data, COUNT, ncclFloat32, 1, p.comm, p.stream));
	else
		TRY(ncclRecv(p.data, COUNT, ncclFloat32, 0, p.comm, p.stream)); // @receive
	return end(&p);
}
