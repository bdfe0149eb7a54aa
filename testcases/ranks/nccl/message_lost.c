// Rank 0 sends a last message, for which nobody asks. It is so small that NCCL buffers it.
// expect: SC-408 at=send proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
	connect_two(&p);
	if (p.rank == 0)
		TRY(ncclSend(p.data, SMALL, ncclFloat32, 1, p.comm, p.stream)); // @send
#ifdef FIXED
	else
		TRY(ncclRecv(p.data, SMALL, ncclFloat32, 0, p.comm, p.stream));
#endif
	return end(&p);
}
