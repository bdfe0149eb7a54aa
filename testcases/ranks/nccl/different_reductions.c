// Rank 1 takes the maximum, the others the sum.
// ranks: 3
// expect: SC-170 at=reduce proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
	ncclRedOp_t operation = ncclSum;

#ifndef FIXED
	operation = p.rank == 1 ? ncclMax : ncclSum;
#endif
	TRY(ncclReduceScatter(p.data, p.result, COUNT / 4, ncclFloat32, operation, p.comm,
			      p.stream)); // @reduce
	return end(&p);
}
