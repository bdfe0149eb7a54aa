// The result of a non-blocking sum is used before the request is complete.
// expect: SC-162 at=use proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *mine = on_device(BYTES), *sum = on_device(BYTES), *total = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Request request;

	PUT(s, mine, COUNT, 2);
	CHECK(cudaStreamSynchronize(s));
	MPI_Iallreduce(mine, sum, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
#ifdef FIXED
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	ADD(s, total, sum, COUNT);
#else
	ADD(s, total, sum, COUNT); // @use
	MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
	finish(s, total, 2 * (float)r.ranks);
	return end();
}
