// Each step overwrites the request of the step before.
// expect: SC-406 at=send proven
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *mine = on_device(BYTES), got[16];
	static MPI_Request send; // nobody else uses its place

	for (int step = 0; step < 3; step++) {
		MPI_Isend(mine, 16, MPI_FLOAT, r.right, step, MPI_COMM_WORLD, &send); // @send
		MPI_Recv(got, 16, MPI_FLOAT, r.left, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef FIXED
		MPI_Wait(&send, MPI_STATUS_IGNORE);
#endif
	}
	return end();
}
