// One stream of rank 1 waits for the shared event, another one reads the memory.
// expect: SC-175 at=fill proven
// expect: SC-175 at=read proven
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES), *sum = on_device(BYTES);
	cudaEvent_t filled = shared_event(r);
	cudaStream_t s = stream(), other = stream();

	if (r.rank == 0) {
		PUT(s, data, COUNT, 1); // @fill
		CHECK(cudaEventRecord(filled, s));
		tell(1);
	} else {
		hear_from(0);
		CHECK(cudaStreamWaitEvent(s, filled, 0));
#ifdef FIXED
		other = s;
#endif
		ADD(other, sum, data, COUNT); // @read
	}
	return end_shared(r, data);
}
