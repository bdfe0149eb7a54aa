// A producer and a consumer share two events, for full and for empty; or only the first.
// expect: SC-175 at=produce proven
// expect: SC-175 at=consume proven
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

enum { ROUNDS = 5 };

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES), *sum = on_device(BYTES);
	cudaEvent_t full = shared_event(r), empty = shared_event(r);
	cudaStream_t s = stream();

	for (int i = 0; i < ROUNDS; i++) {
		if (r.rank == 0) {
			if (i)
				hear_from(1);
#ifdef FIXED
			if (i)
				CHECK(cudaStreamWaitEvent(s, empty, 0));
#endif
			PUT(s, data, COUNT, (float)i); // @produce
			CHECK(cudaEventRecord(full, s));
			tell(1);
		} else {
			hear_from(0);
			CHECK(cudaStreamWaitEvent(s, full, 0));
			ADD(s, sum, data, COUNT); // @consume
			CHECK(cudaEventRecord(empty, s));
			if (i < ROUNDS - 1)
				tell(0);
		}
	}
	return end_shared(r, data);
}
