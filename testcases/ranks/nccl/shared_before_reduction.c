// Rank 1 reads what rank 0 writes before the reduction of both, or after it.
// expect: SC-175 at=write proven
// expect: SC-175 at=read proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/library/shared.h"

static void reduce(struct process *p)
{
	TRY(ncclAllReduce(p->data, p->data, COUNT, ncclFloat32, ncclSum, p->comm, p->stream));
}

int main(int argc, char **argv)
{
	struct process p = begin();
	float *shared = shared_memory(&p);

	(void)argc, (void)argv;
#ifndef FIXED
	reduce(&p);
#endif
	if (p.rank == 0)
		PUT(p.stream, shared, COUNT, 1); // @write
#ifdef FIXED
	reduce(&p);
#endif
	if (p.rank == 1)
		CHECK(cudaMemcpyAsync(p.result, shared, BYTES, cudaMemcpyDeviceToDevice,
				      p.stream)); // @read
	return end_shared(&p, shared);
}
