// The receiver asks for another tag: the library keeps the small message, and nobody ever gets it.
// expect: SC-408 at=send proven
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	int flags[2] = {1, 2};

	use_device();
	if (r.rank == 0) {
		MPI_Send(flags, 1, MPI_INT, 1, 7, MPI_COMM_WORLD); // @send
		MPI_Send(flags, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
	} else {
#ifdef FIXED
		MPI_Recv(flags, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
		MPI_Recv(flags, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	return end();
}
