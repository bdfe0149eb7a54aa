// Rank 1's host waits for rank 0's event and tells rank 2, or tells it without the wait.
// ranks: 3
// expect: SC-175 at=fill proven
// expect: SC-175 at=read proven
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES), *copy = on_device(BYTES);
	cudaEvent_t filled = shared_event(r);
	cudaStream_t s = stream();

	if (r.rank == 0) {
		PUT(s, data, COUNT, 1); // @fill
		CHECK(cudaEventRecord(filled, s));
		tell(1);
	} else if (r.rank == 1) {
		hear_from(0);
#ifdef FIXED
		CHECK(cudaEventSynchronize(filled));
#endif
		tell(2);
	} else {
		hear_from(1);
		CHECK(cudaMemcpyAsync(copy, data, BYTES, cudaMemcpyDeviceToDevice, s)); // @read
	}
	return end_shared(r, data);
}
