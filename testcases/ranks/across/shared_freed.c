// The owner frees memory that another rank has open still; and memory that another rank has closed,
// without being told so, which is hidden from streamcheck.
// expect: SC-141 at=open proven
// expect: SC-141 at=closed possible doubt=other_channel
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *first = shared_memory(r, BYTES), *second = shared_memory(r, BYTES);
	MPI_Comm unseen = unfollowed();

#ifdef FIXED
	if (r.rank == 1)
		CHECK(cudaIpcCloseMemHandle(first));
	MPI_Barrier(MPI_COMM_WORLD);
#endif
	if (r.rank == 0)
		CHECK(cudaFree(first)); // @open
	MPI_Barrier(MPI_COMM_WORLD);
	if (r.rank == 1) {
#ifndef FIXED
		CHECK(cudaIpcCloseMemHandle(first));
#endif
		CHECK(cudaIpcCloseMemHandle(second));
	}
	MPI_Barrier(unseen);
#ifdef FIXED
	MPI_Barrier(MPI_COMM_WORLD);
#endif
	if (r.rank == 0)
		CHECK(cudaFree(second)); // @closed
	return end();
}
