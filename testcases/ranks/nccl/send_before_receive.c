// Both ranks wait for their send before they receive. NCCL promises no buffer, though one may have
// room: on two H100 the sends were complete, of 64 MiB too.
// hangs: rank 0 rank 1
// expect: SC-174 at=send proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

static void exchange(struct process *p, size_t count)
{
	TRY(ncclGroupStart());
	TRY(ncclSend(p->data, count, ncclFloat32, 1 - p->rank, p->comm, p->stream));
	TRY(ncclRecv(p->result, count, ncclFloat32, 1 - p->rank, p->comm, p->stream));
	TRY(ncclGroupEnd());
}

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
	exchange(&p, SMALL); // which connects them
#ifdef FIXED
	exchange(&p, COUNT);
#else
	TRY(ncclSend(p.data, COUNT, ncclFloat32, 1 - p.rank, p.comm, p.stream)); // @send
	CHECK(cudaStreamSynchronize(p.stream));
	TRY(ncclRecv(p.result, COUNT, ncclFloat32, 1 - p.rank, p.comm, p.stream));
#endif
	return end(&p);
}
