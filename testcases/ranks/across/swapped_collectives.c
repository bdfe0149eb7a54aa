// Rank 0 sends its settings before all meet, the others get them afterwards..
// expect: SC-170 at=first proven
// expect: SC-170 at=others proven
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	int settings = 3;

	use_device();
#ifdef FIXED
	MPI_Bcast(&settings, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
#else
	if (r.rank == 0) {
		MPI_Bcast(&settings, 1, MPI_INT, 0, MPI_COMM_WORLD); // @first
		MPI_Barrier(MPI_COMM_WORLD);
	} else {
		MPI_Barrier(MPI_COMM_WORLD); // @others
		MPI_Bcast(&settings, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
#endif
	(void)r;
	return 0;
}
