// Two ranks meet in a barrier; the third waits for a message that is sent after it.
// ranks: 3
// hangs: rank 0 rank 1 rank 2
// expect: SC-174 at=barrier proven
// expect: SC-174 at=receive proven
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	int go = 1;

	use_device();
	if (r.rank == 2)
		MPI_Recv(&go, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // @receive
#ifdef FIXED
	if (r.rank == 0)
		MPI_Send(&go, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
#endif
	MPI_Barrier(MPI_COMM_WORLD); // @barrier
#ifndef FIXED
	if (r.rank == 0)
		MPI_Send(&go, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
#endif
	return 0;
}
