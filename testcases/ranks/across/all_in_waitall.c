// A rank waits for two messages at once, of which one is never sent: the sender waits for it.
// hangs: rank 0 rank 1
// expect: SC-174 at=wait proven
// expect: SC-174 at=ready proven
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = on_device(2 * BYTES);
	MPI_Request requests[2];
	int ready = 1;

	if (r.rank == 0) {
		MPI_Irecv(data, COUNT, MPI_FLOAT, 1, 1, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(data + COUNT, COUNT, MPI_FLOAT, 1, 2, MPI_COMM_WORLD, &requests[1]);
#ifdef FIXED
		MPI_Send(&ready, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
#endif
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); // @wait
#ifndef FIXED
		MPI_Send(&ready, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
#endif
	} else {
		MPI_Send(data, COUNT, MPI_FLOAT, 0, 1, MPI_COMM_WORLD);
		MPI_Recv(&ready, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // @ready
		MPI_Send(data, COUNT, MPI_FLOAT, 0, 2, MPI_COMM_WORLD);
	}
	return end();
}
