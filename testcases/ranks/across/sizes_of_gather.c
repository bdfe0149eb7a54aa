// One rank gives more to a gather than the root takes from each.
// expect: SC-171 at=gather proven
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *mine = on_device(BYTES), *all = on_device(2 * BYTES);
	int count = 64;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (r.rank)
#ifdef FIXED
		count = 64;
#else
		count = 65;
#endif
	MPI_Gather(mine, count, MPI_FLOAT, all, count, MPI_FLOAT, 0, MPI_COMM_WORLD); // @gather
	return 0;
}
