// Both ranks wait for their send, which is too large for a buffer, before they receive.
// hangs: rank 0 rank 1
// expect: SC-174 at=send proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

#define LARGE (1 << 25) // floats: more than NCCL buffers

static void exchange(struct process *p, float *from, float *to, size_t count)
{
	TRY(ncclSend(from, count, ncclFloat32, 1 - p->rank, p->comm, p->stream));
	TRY(ncclRecv(to, count, ncclFloat32, 1 - p->rank, p->comm, p->stream));
}

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
	float *more = on_device(LARGE * sizeof(float));

	TRY(ncclGroupStart()); // which connects them
	exchange(&p, more, more + SMALL, SMALL);
	TRY(ncclGroupEnd());
#ifdef FIXED
	TRY(ncclGroupStart());
	exchange(&p, more, more + LARGE / 2, LARGE / 2);
	TRY(ncclGroupEnd());
#else
	TRY(ncclSend(more, LARGE / 2, ncclFloat32, 1 - p.rank, p.comm, p.stream)); // @send
	CHECK(cudaStreamSynchronize(p.stream));
	TRY(ncclRecv(more + LARGE / 2, LARGE / 2, ncclFloat32, 1 - p.rank, p.comm, p.stream));
#endif
	end(&p);
	CHECK(cudaFree(more));
	return 0;
}
