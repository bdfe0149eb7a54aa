// Rank 0 copies pageable memory and sends a message: the call waits for the host's memory, and may
// return before the device has the data, so that rank 1 may overwrite what was not there yet.
// expect: SC-175 at=copy cause=SC-108 proven
// expect: SC-175 at=write cause=SC-108 proven
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES);
	cudaStream_t s = stream();

	if (r.rank == 0) {
		float *numbers = calloc(1, BYTES);

		CHECK(cudaMemcpy(data, numbers, BYTES, cudaMemcpyHostToDevice)); // @copy
#ifdef FIXED
		CHECK(cudaDeviceSynchronize());
#endif
		free(numbers);
		tell(1);
	} else {
		hear_from(0);
		PUT(s, data, COUNT, 3); // @write
	}
	return end_shared(r, data);
}
