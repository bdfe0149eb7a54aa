// A broadcast may be over for its root before the others have begun, so that rank 0 does not come
// after what rank 1 wrote before it; each part of a reduction needs the data of all.
// expect: SC-175 at=write proven
// expect: SC-175 at=read proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/library/shared.h"

int main(int argc, char **argv)
{
	struct process p = begin();
	float *shared = shared_memory(&p);

	(void)argc, (void)argv;
	if (p.rank == 1)
		PUT(p.stream, shared, COUNT, 1); // @write
#ifdef FIXED
	TRY(ncclReduceScatter(p.data, p.data, COUNT / 2, ncclFloat32, ncclSum, p.comm, p.stream));
#else
	TRY(ncclBroadcast(p.data, p.data, COUNT, ncclFloat32, 0, p.comm, p.stream));
#endif
	if (p.rank == 0)
		CHECK(cudaMemcpyAsync(p.result, shared, BYTES, cudaMemcpyDeviceToDevice,
				      p.stream)); // @read
	return end_shared(&p, shared);
}
