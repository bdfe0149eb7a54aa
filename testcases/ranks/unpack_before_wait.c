// A kernel that reads the halo is enqueued before the receive is complete.
// expect: SC-162 at=unpack proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *halo = on_device(BYTES), *sum = on_device(BYTES), *mine = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Request requests[2];

	PUT(s, mine, COUNT, 2);
	CHECK(cudaStreamSynchronize(s));
	MPI_Irecv(halo, COUNT, MPI_FLOAT, r.left, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(mine, COUNT, MPI_FLOAT, r.right, 0, MPI_COMM_WORLD, &requests[1]);
#ifdef FIXED
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	ADD(s, sum, halo, COUNT);
#else
	ADD(s, sum, halo, COUNT); // @unpack
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
	finish(s, sum, 2);
	return end();
}
