// A group of two collectives, in another order in rank 1.
// expect: SC-170 at=gather proven
// expect: SC-170 at=reduce proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
	bool is_swapped = false;

#ifndef FIXED
	is_swapped = p.rank == 1;
#endif
	TRY(ncclGroupStart());
	for (int i = 0; i < 2; i++)
		if (is_swapped == (i == 0))
			TRY(ncclAllGather(p.data, p.result, COUNT / 4, ncclFloat32, p.comm,
					  p.stream)); // @gather
		else
			TRY(ncclAllReduce(p.data, p.data, COUNT, ncclFloat32, ncclSum, p.comm,
					  p.stream)); // @reduce
	TRY(ncclGroupEnd());
	return end(&p);
}
