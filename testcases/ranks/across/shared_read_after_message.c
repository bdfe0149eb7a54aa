// Rank 0 fills shared memory and sends a message: its kernel may run when that arrives.
// expect: SC-175 at=fill proven
// expect: SC-175 at=read proven
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES), *copy = on_device(BYTES);
	cudaStream_t s = stream();

	if (r.rank == 0) {
		PUT(s, data, COUNT, 3); // @fill
#ifdef FIXED
		CHECK(cudaStreamSynchronize(s));
#endif
		tell(1);
	} else {
		hear_from(0);
		CHECK(cudaMemcpyAsync(copy, data, BYTES, cudaMemcpyDeviceToDevice, s)); // @read
	}
	return end_shared(r, data);
}
