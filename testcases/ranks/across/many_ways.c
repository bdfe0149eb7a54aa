// Messages in many ways, in communicators of parts, from anybody, with requests; one is too large.
// ranks: 4
// expect: SC-172 at=receive proven
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

static void probe_and_receive(MPI_Comm half, int rank, float *data)
{
	MPI_Status status;
	int count;

	if (rank == 1) {
		MPI_Send(data, 10, MPI_FLOAT, 0, 1, half);
		MPI_Send(data, 20, MPI_FLOAT, 0, 2, half);
		return;
	}
	MPI_Probe(MPI_ANY_SOURCE, 2, half, &status);
	MPI_Get_count(&status, MPI_FLOAT, &count);
	MPI_Recv(data, count, MPI_FLOAT, status.MPI_SOURCE, 2, half, MPI_STATUS_IGNORE);
	MPI_Recv(data, 10, MPI_FLOAT, MPI_ANY_SOURCE, MPI_ANY_TAG, half, &status);
}

static void persistent(const struct ranks *r, float *from, float *to)
{
	MPI_Request requests[2];

	MPI_Recv_init(to, 32, MPI_FLOAT, r->left, 5, MPI_COMM_WORLD, &requests[0]);
	MPI_Send_init(from, 32, MPI_FLOAT, r->right, 5, MPI_COMM_WORLD, &requests[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, requests);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
}

static void from_anybody(const struct ranks *r, float *data)
{
	MPI_Comm world = MPI_COMM_WORLD;
	MPI_Status status;
	int count = 16, any = MPI_ANY_TAG;

	if (r->rank) {
#ifndef FIXED
		if (r->rank == 2)
			count = 24;
#endif
		MPI_Ssend(data, count, MPI_FLOAT, 0, r->rank, MPI_COMM_WORLD);
		return;
	}
	for (int i = 1; i < r->ranks; i++)
		MPI_Recv(data, 16, MPI_FLOAT, MPI_ANY_SOURCE, any, world, &status); // @receive
}

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *from = on_device(BYTES), *to = on_device(BYTES);
	MPI_Request requests[2];
	MPI_Comm half, copy;
	int rank, done;

	MPI_Comm_split(MPI_COMM_WORLD, r.rank % 2, -r.rank, &half);
	MPI_Comm_rank(half, &rank);
	MPI_Comm_dup(half, &copy);
	probe_and_receive(half, rank, to);
	MPI_Sendrecv(from, 8, MPI_FLOAT, 1 - rank, 0, to, 8, MPI_FLOAT, 1 - rank, 0, copy,
		     MPI_STATUS_IGNORE);
	persistent(&r, from, to);
	MPI_Irecv(to, 64, MPI_FLOAT, r.left, 9, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(from, 32, MPI_FLOAT, r.right, 9, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	MPI_Ibcast(to, 4, MPI_FLOAT, 1, copy, &requests[0]);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	MPI_Comm_free(&copy);
	MPI_Comm_dup(half, &copy);
	MPI_Allreduce(MPI_IN_PLACE, to, 4, MPI_FLOAT, MPI_SUM, copy);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	from_anybody(&r, to);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&half);
	return end();
}
