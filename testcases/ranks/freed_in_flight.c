// Device memory is freed while a send may still read it. A message of this size is copied inside
// the call, so that nothing breaks.
// expect: SC-164 at=free proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *mine = on_device(BYTES), got[16];
	MPI_Request send;

	MPI_Isend(mine, 16, MPI_FLOAT, r.right, 0, MPI_COMM_WORLD, &send);
#ifdef FIXED
	MPI_Wait(&send, MPI_STATUS_IGNORE);
#endif
	CHECK(cudaFree(mine)); // @free
	MPI_Recv(got, 16, MPI_FLOAT, r.left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifndef FIXED
	MPI_Wait(&send, MPI_STATUS_IGNORE);
#endif
	return end();
}
