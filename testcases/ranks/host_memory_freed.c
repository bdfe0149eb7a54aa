// The same of memory of malloc.
// expect: SC-164 at=free proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *mine = malloc(BYTES), got[16];
	MPI_Request send;

	use_device();
	memset(mine, 0, BYTES);
	MPI_Isend(mine, 16, MPI_FLOAT, r.right, 0, MPI_COMM_WORLD, &send);
#ifdef FIXED
	MPI_Wait(&send, MPI_STATUS_IGNORE);
#endif
	free(mine); // @free
	MPI_Recv(got, 16, MPI_FLOAT, r.left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifndef FIXED
	MPI_Wait(&send, MPI_STATUS_IGNORE);
#endif
	return end();
}
