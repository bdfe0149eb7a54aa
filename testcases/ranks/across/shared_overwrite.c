// Rank 1 says that it has copied before the copy is complete; rank 0 writes the next.
// expect: SC-175 at=read proven
// expect: SC-175 at=next proven
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES), *copy = on_device(BYTES);
	cudaStream_t s = stream();

	if (r.rank == 0) {
		PUT(s, data, COUNT, 1);
		CHECK(cudaStreamSynchronize(s));
		tell(1);
		hear_from(1);
		PUT(s, data, COUNT, 2); // @next
	} else {
		hear_from(0);
		CHECK(cudaMemcpyAsync(copy, data, BYTES, cudaMemcpyDeviceToDevice, s)); // @read
#ifdef FIXED
		CHECK(cudaStreamSynchronize(s));
#endif
		tell(0);
	}
	return end_shared(r, data);
}
