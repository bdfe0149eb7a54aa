// A partition is handed to MPI before the kernel that fills it has ended, and is filled again
// before the send is complete. What is written to a partition before it is ready is nobody's
// affair, though the request was started.
//
// only: mpich
//
// expect: SC-160 at=ready proven order=none
// expect: SC-163 at=again proven order=other_work
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

#define PARTS 4
#define PART  (COUNT / PARTS)

int main(int argc, char **argv)
{
#if MPI_VERSION >= 4
	struct ranks r = begin(&argc, &argv);
	float *packed = on_device(BYTES), *halo = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Request requests[2];

	MPI_Psend_init(packed, PARTS, PART, MPI_FLOAT, r.right, 7, MPI_COMM_WORLD, MPI_INFO_NULL,
		       &requests[0]);
	MPI_Precv_init(halo, PARTS, PART, MPI_FLOAT, r.left, 7, MPI_COMM_WORLD, MPI_INFO_NULL,
		       &requests[1]);
	MPI_Startall(2, requests);
	PUT(s, packed, COUNT, 3);
	CHECK(cudaStreamSynchronize(s));
	MPI_Pready_range(0, 1, requests[0]);
	PUT(s, packed + 2 * PART, PART, 3);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	MPI_Pready(2, requests[0]); // @ready
	PUT(s, packed + 3 * PART, PART, 3);
	CHECK(cudaStreamSynchronize(s));
	MPI_Pready_list(1, (int[]){3}, requests[0]);
#ifndef FIXED
	PUT(s, packed, PART, 4); // @again
#endif
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	PUT(s, packed, COUNT, 4);
	finish(s, halo, 3);
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
	return end();
#else
	(void)argc, (void)argv;
	return 0;
#endif
}
