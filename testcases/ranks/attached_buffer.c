// A kernel writes to the buffer that was attached for messages, before it is detached: here at
// a place that the library does not use, so that the program goes on.
// expect: SC-162 at=fill possible doubt=upper_bound order=other_work|none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	size_t bytes = 3 * BYTES + MPI_BSEND_OVERHEAD;
	float *room = pinned(bytes), *mine = on_device(BYTES), *halo = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Request receive;
	int is_bytes;

	MPI_Irecv(halo, COUNT, MPI_FLOAT, r.left, 9, MPI_COMM_WORLD, &receive);
	PUT(s, mine, COUNT, 3);
	CHECK(cudaStreamSynchronize(s));
	MPI_Buffer_attach(room, (int)bytes);
	MPI_Bsend(mine, COUNT, MPI_FLOAT, r.right, 9, MPI_COMM_WORLD);
	PUT(s, mine, COUNT, 4); // the message is a copy
#ifndef FIXED
	PUT(s, room + 2 * COUNT, COUNT, 0); // @fill
#endif
	CHECK(cudaStreamSynchronize(s));
	MPI_Buffer_detach(&room, &is_bytes);
	PUT(s, room, COUNT, 0);
	MPI_Wait(&receive, MPI_STATUS_IGNORE);
	finish(s, halo, 3);
	return end();
}
