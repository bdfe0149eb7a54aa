// Both ranks receive first, and send afterwards.
// hangs: rank 0 rank 1
// expect: SC-174 at=receive proven
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *mine = on_device(BYTES), *theirs = on_device(BYTES);
	int other = 1 - r.rank;

#ifdef FIXED
	MPI_Sendrecv(mine, COUNT, MPI_FLOAT, other, 0, theirs, COUNT, MPI_FLOAT, other, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
	MPI_Recv(theirs, COUNT, MPI_FLOAT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // @receive
	MPI_Send(mine, COUNT, MPI_FLOAT, other, 0, MPI_COMM_WORLD);
#endif
	return end();
}
