// Two ranks write the same memory, with a barrier in between that waits for no device.
// expect: SC-175 at=first allocated=shared proven
// expect: SC-175 at=second allocated=shared proven
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES); // @shared
	cudaStream_t s = stream();

	if (r.rank == 0)
		PUT(s, data, COUNT, 1); // @first
#ifdef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	MPI_Barrier(MPI_COMM_WORLD);
	if (r.rank == 1)
		PUT(s, data, COUNT, 2); // @second
	return end_shared(r, data);
}
