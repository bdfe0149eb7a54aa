// Each rank takes itself for the root.
// ranks: 3
// expect: SC-170 at=broadcast proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
	int root = 0;

#ifndef FIXED
	root = p.rank;
#endif
	TRY(ncclBroadcast(p.data, p.data, COUNT, ncclFloat32, root, p.comm,
			  p.stream)); // @broadcast
	return end(&p);
}
