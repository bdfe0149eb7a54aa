// A rank waits for one of two messages, of which one is of a communicator that is not followed:
// nothing is known of that one, so nothing is proven, though nobody sends the other one. Two more
// wait for each other.
// ranks: 3
// hangs: rank 1 rank 2
// expect: SC-174 at=receive proven
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

static void wait_for_any(float *data, MPI_Comm copy)
{
	MPI_Request requests[2];
	int which;

	MPI_Irecv(data, COUNT, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(data + COUNT, COUNT, MPI_FLOAT, 1, 0, copy, &requests[1]);
	for (int i = 0; i < 2; i++)
		MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = on_device(2 * BYTES);
	MPI_Request made;
	MPI_Comm copy;

	MPI_Comm_idup(MPI_COMM_WORLD, &copy, &made);
	MPI_Wait(&made, MPI_STATUS_IGNORE);
	if (r.rank == 0) {
		wait_for_any(data, copy);
	} else {
		int other = 3 - r.rank;

#ifdef FIXED
		MPI_Sendrecv(data, COUNT, MPI_FLOAT, other, 0, data + COUNT, COUNT, MPI_FLOAT,
			     other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
		MPI_Recv(data, COUNT, MPI_FLOAT, other, 0, MPI_COMM_WORLD, // @receive
			 MPI_STATUS_IGNORE);
		MPI_Send(data, COUNT, MPI_FLOAT, other, 0, MPI_COMM_WORLD);
#endif
		if (r.rank == 1) {
			MPI_Send(data, COUNT, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
			MPI_Send(data, COUNT, MPI_FLOAT, 0, 0, copy);
		}
	}
	MPI_Comm_free(&copy);
	return end();
}
