// A test that answers "not complete" shows nothing. What is tested cannot be complete: it is sent
// later.
// expect: SC-162 at=use proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *mine = on_device(BYTES), *halo = on_device(BYTES), *sum = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Request receive;
	int is_complete = 0;

	MPI_Irecv(halo, COUNT, MPI_FLOAT, r.left, 0, MPI_COMM_WORLD, &receive);
	MPI_Test(&receive, &is_complete, MPI_STATUS_IGNORE);
#ifndef FIXED
	ADD(s, sum, halo, COUNT); // @use
#endif
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Send(mine, COUNT, MPI_FLOAT, r.right, 0, MPI_COMM_WORLD);
	while (!is_complete)
		MPI_Test(&receive, &is_complete, MPI_STATUS_IGNORE);
	ADD(s, sum, halo, COUNT);
	finish(s, sum, 0);
	return end();
}
