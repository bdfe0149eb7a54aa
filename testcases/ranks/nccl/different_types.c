// As many elements in each rank, of types of one size. In the fixed program one rank also gathers
// nothing at all, which is no operation.
//
// expect: SC-170 at=reduce proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
	ncclDataType_t type = ncclFloat32;

#ifndef FIXED
	type = p.rank ? ncclInt32 : ncclFloat32;
#else
	if (p.rank == 0)
		TRY(ncclAllGather(p.data, p.result, 0, type, p.comm, p.stream));
#endif
	TRY(ncclAllReduce(p.data, p.result, COUNT, type, ncclSum, p.comm, p.stream)); // @reduce
	return end(&p);
}
