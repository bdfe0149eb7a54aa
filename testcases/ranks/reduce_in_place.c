// A sum over all ranks in place: the buffer is sent and received into.
// expect: SC-161 at=reduce proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *sum = on_device(BYTES);
	cudaStream_t s = stream();

	PUT(s, sum, COUNT, 1);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	MPI_Allreduce(MPI_IN_PLACE, sum, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); // @reduce
	finish(s, sum, (float)r.ranks);
	return end();
}
