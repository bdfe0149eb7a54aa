// A halo is packed by a kernel and sent at once: MPI may read it before the kernel has run.
// expect: SC-160 at=send proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *packed = on_device(BYTES), *halo = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Request requests[2];

	MPI_Irecv(halo, COUNT, MPI_FLOAT, r.left, 0, MPI_COMM_WORLD, &requests[0]);
	PUT(s, packed, COUNT, 3);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	MPI_Isend(packed, COUNT, MPI_FLOAT, r.right, 0, MPI_COMM_WORLD, &requests[1]); // @send
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	finish(s, halo, 3);
	return end();
}
