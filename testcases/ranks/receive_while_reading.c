// The halo of the step before is still read when the next one may arrive.
// expect: SC-161 at=receive proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *halo = on_device(BYTES), *sum = on_device(BYTES), *mine = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Request requests[2];

	PUT(s, mine, COUNT, 5);
	CHECK(cudaStreamSynchronize(s));
	ADD(s, sum, halo, COUNT);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	MPI_Irecv(halo, COUNT, MPI_FLOAT, r.left, 0, MPI_COMM_WORLD, &requests[0]); // @receive
	MPI_Isend(mine, COUNT, MPI_FLOAT, r.right, 0, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	finish(s, halo, 5);
	return end();
}
