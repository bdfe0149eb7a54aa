// Rank 0 sends before the reduction, rank 1 receives after it. Nothing was done in the communicator
// before, so that the host waits in the call, and not yet the device; another thread could still
// answer.
// hangs: rank 0 rank 1
// expect: SC-174 at=send possible doubt=answer_cut_off
// expect: SC-174 at=reduce possible doubt=answer_cut_off
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();
	bool is_early = true;

	(void)argc, (void)argv;
#ifndef FIXED
	is_early = p.rank == 0;
#endif
	if (p.rank == 0)
		TRY(ncclSend(p.data, COUNT, ncclFloat32, 1, p.comm, p.stream)); // @send
	if (is_early && p.rank == 1)
		TRY(ncclRecv(p.result, COUNT, ncclFloat32, 0, p.comm, p.stream));
	TRY(ncclAllReduce(p.data, p.data, COUNT, ncclFloat32, ncclSum, p.comm,
			  p.stream)); // @reduce
	if (!is_early && p.rank == 1)
		TRY(ncclRecv(p.result, COUNT, ncclFloat32, 0, p.comm, p.stream));
	return end(&p);
}
