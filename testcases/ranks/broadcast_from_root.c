// Who sends and who receives is known from the root, whose kernel still writes.
// expect: SC-160 at=broadcast proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = on_device(BYTES);
	cudaStream_t s = stream();

	if (r.rank == 0)
		PUT(s, data, COUNT, 9);
#ifdef FIXED
	if (r.rank == 0)
		CHECK(cudaStreamSynchronize(s));
#endif
	MPI_Bcast(data, COUNT, MPI_FLOAT, 0, MPI_COMM_WORLD); // @broadcast
	finish(s, data, 9);
	return end();
}
