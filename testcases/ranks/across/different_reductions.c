// One rank adds what the others take the largest of.
// expect: SC-170 at=reduction proven
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *mine = on_device(BYTES), *all = on_device(BYTES);
	MPI_Op operation = MPI_MAX;

	if (!r.rank)
#ifdef FIXED
		operation = MPI_MAX;
#else
		operation = MPI_SUM;
#endif
	MPI_Allreduce(mine, all, COUNT, MPI_FLOAT, operation, MPI_COMM_WORLD); // @reduction
	return end();
}
