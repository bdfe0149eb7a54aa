// Each rank takes itself for the root of a broadcast: both send, and nobody receives.
// expect: SC-170 at=broadcast proven
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	int settings[2] = {r.rank, 0}, root = 0;

	use_device();
#ifndef FIXED
	root = r.rank;
#endif
	MPI_Bcast(settings, 2, MPI_INT, root, MPI_COMM_WORLD); // @broadcast
	return 0;
}
