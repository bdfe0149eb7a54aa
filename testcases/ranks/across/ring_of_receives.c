// In a ring, each rank waits for what its neighbour sends after its own wait.
// ranks: 3
// hangs: rank 0 rank 1 rank 2
// expect: SC-174 at=wait proven
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *mine = on_device(BYTES), *theirs = on_device(BYTES);
	MPI_Request request;

	MPI_Irecv(theirs, COUNT, MPI_FLOAT, r.left, 0, MPI_COMM_WORLD, &request);
#ifdef FIXED
	MPI_Send(mine, COUNT, MPI_FLOAT, r.right, 0, MPI_COMM_WORLD);
#endif
	MPI_Wait(&request, MPI_STATUS_IGNORE); // @wait
#ifndef FIXED
	MPI_Send(mine, COUNT, MPI_FLOAT, r.right, 0, MPI_COMM_WORLD);
#endif
	return end();
}
