// Rank 1 waits for a shared event that rank 0 recorded before its kernel, not after it.
// expect: SC-175 at=fill proven
// expect: SC-175 at=read proven
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES), *sum = on_device(BYTES);
	cudaEvent_t filled = shared_event(r);
	cudaStream_t s = stream();

	if (r.rank == 0) {
#ifndef FIXED
		CHECK(cudaEventRecord(filled, s));
#endif
		PUT(s, data, COUNT, 1); // @fill
#ifdef FIXED
		CHECK(cudaEventRecord(filled, s));
#endif
		tell(1);
	} else {
		hear_from(0);
		CHECK(cudaStreamWaitEvent(s, filled, 0));
		ADD(s, sum, data, COUNT); // @read
	}
	return end_shared(r, data);
}
