// Of a receive in partitions one may be used as soon as it was seen to be there; others may not.
//
// only: mpich
//
// expect: SC-162 at=early proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

#define PARTS 4
#define PART  (COUNT / PARTS)

int main(int argc, char **argv)
{
#if MPI_VERSION >= 4
	struct ranks r = begin(&argc, &argv);
	float *mine = on_device(BYTES), *halo = on_device(BYTES), *sum = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Request requests[2];
	int has_arrived = 0;

	MPI_Psend_init(mine, PARTS, PART, MPI_FLOAT, r.right, 8, MPI_COMM_WORLD, MPI_INFO_NULL,
		       &requests[0]);
	MPI_Precv_init(halo, PARTS, PART, MPI_FLOAT, r.left, 8, MPI_COMM_WORLD, MPI_INFO_NULL,
		       &requests[1]);
	for (int turn = 0; turn < 2; turn++) {
		MPI_Startall(2, requests);
		MPI_Pready_range(0, PARTS - 1, requests[0]);
		while (!has_arrived)
			MPI_Parrived(requests[1], 1, &has_arrived);
		has_arrived = 0;
		ADD(s, sum, halo + PART, PART);
#ifndef FIXED
		ADD(s, sum, halo + 2 * PART, PART); // @early
#endif
		CHECK(cudaStreamSynchronize(s));
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		ADD(s, sum, halo, COUNT);
		CHECK(cudaStreamSynchronize(s));
	}
	finish(s, sum, 0);
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
	return end();
#else
	(void)argc, (void)argv;
	return 0;
#endif
}
