// Ranks reduce as many elements as they happen to have.
// ranks: 3
// expect: SC-171 at=reduce proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
	size_t count = COUNT;

#ifndef FIXED
	count -= (size_t)p.rank;
#endif
	TRY(ncclAllReduce(p.data, p.result, count, ncclFloat32, ncclSum, p.comm,
			  p.stream)); // @reduce
	return end(&p);
}
