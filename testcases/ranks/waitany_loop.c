// Parts of a halo are unpacked as they arrive; here, one that has not arrived.
// expect: SC-162 at=unpack proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

#define PARTS 4

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *mine = on_device(BYTES), *halo = on_device(BYTES), *sum = on_device(BYTES);
	int each = COUNT / PARTS, part;
	cudaStream_t s = stream();
	MPI_Request receives[PARTS], sends[PARTS];

	PUT(s, mine, COUNT, 4);
	CHECK(cudaStreamSynchronize(s));
	for (int i = 0; i < PARTS; i++)
		MPI_Irecv(halo + i * each, each, MPI_FLOAT, r.left, i, MPI_COMM_WORLD,
			  &receives[i]);
	for (int i = 0; i < PARTS; i++)
		MPI_Isend(mine + i * each, each, MPI_FLOAT, r.right, i, MPI_COMM_WORLD, &sends[i]);
	for (int i = 0; i < PARTS; i++) {
		MPI_Waitany(PARTS, receives, &part, MPI_STATUS_IGNORE);
#ifndef FIXED
		part = (part + 1) % PARTS;
#endif
		ADD(s, sum + part * each, halo + part * each, each); // @unpack
	}
	MPI_Waitall(PARTS, sends, MPI_STATUSES_IGNORE);
	finish(s, sum, 4);
	return end();
}
