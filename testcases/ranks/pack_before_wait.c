// The next halo is packed into a buffer whose send is not complete.
// expect: SC-163 at=pack proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *packed = on_device(BYTES), *halo = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Request send;

	for (int step = 0; step < 3; step++) {
		CHECK(cudaStreamSynchronize(s));
		MPI_Isend(packed, COUNT, MPI_FLOAT, r.right, step, MPI_COMM_WORLD, &send);
		MPI_Recv(halo, COUNT, MPI_FLOAT, r.left, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef FIXED
		MPI_Wait(&send, MPI_STATUS_IGNORE);
		PUT(s, packed, COUNT, (float)step);
#else
		PUT(s, packed, COUNT, (float)step); // @pack
		MPI_Wait(&send, MPI_STATUS_IGNORE);
#endif
	}
	finish(s, halo, 1);
	return end();
}
