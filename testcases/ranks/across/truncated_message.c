// The sender has a halo of two rows, the receiver one of one row.
// expect: SC-172 at=receive proven
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *halo = on_device(BYTES);
	int count = COUNT / 2;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#ifdef FIXED
	count = COUNT;
#endif
	if (r.rank == 0)
		MPI_Send(halo, COUNT, MPI_FLOAT, 1, 4, MPI_COMM_WORLD);
	else
		MPI_Recv(halo, count, MPI_FLOAT, 0, 4, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE); // @receive
	return end();
}
