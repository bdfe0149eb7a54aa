// Persistent requests: each start hands the buffers over again.
// expect: SC-160 at=start proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *packed = on_device(BYTES), *halo = on_device(BYTES), *sum = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Request requests[2];

	MPI_Send_init(packed, COUNT, MPI_FLOAT, r.right, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Recv_init(halo, COUNT, MPI_FLOAT, r.left, 0, MPI_COMM_WORLD, &requests[1]);
	for (int step = 0; step < 3; step++) {
		PUT(s, packed, COUNT, 1);
#ifndef FIXED
		if (step == 0)
#endif
			CHECK(cudaStreamSynchronize(s));
		MPI_Startall(2, requests); // @start
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		ADD(s, sum, halo, COUNT);
#ifndef FIXED
		CHECK(cudaStreamSynchronize(s));
#endif
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
	finish(s, sum, 3);
	return end();
}
