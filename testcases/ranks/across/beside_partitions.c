// Messages of one tag beside partitioned ones (MPI 4), which match each other only, and beside
// epochs of a window; one of the messages is too large.
// expect: SC-172 at=receive proven
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

#define TAG 7

// Begins with a message in each direction before the partitioned one is complete.
static void partitions(const struct ranks *r, float *from, float *to)
{
#if MPI_VERSION >= 4
	MPI_Request requests[2];

	MPI_Psend_init(from, 2, 32, MPI_FLOAT, r->right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
		       &requests[0]);
	MPI_Precv_init(to, 2, 32, MPI_FLOAT, r->left, TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
		       &requests[1]);
	for (int i = 0; i < 2; i++) {
		MPI_Startall(2, requests);
		MPI_Sendrecv(from + 64, 16, MPI_FLOAT, r->right, TAG, to + 64, 16, MPI_FLOAT,
			     r->left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Pready_range(0, 1, requests[0]);
		if (i)
			MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		for (int k = 0; !i && k < 2; k++)
			MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
#else
	(void)r, (void)from, (void)to;
#endif
}

static void epochs(const struct ranks *r, float *from, float *to)
{
	MPI_Group all, other;
	int right = r->right;
	MPI_Win window;

	MPI_Win_create(to, 16 * sizeof(float), sizeof(float), MPI_INFO_NULL, MPI_COMM_WORLD,
		       &window);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
	MPI_Put(from, 16, MPI_FLOAT, r->right, 0, 16, MPI_FLOAT, window);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &right, &other); // of two ranks each is the other's right and left
	MPI_Win_post(other, 0, window);
	MPI_Win_start(other, 0, window);
	MPI_Put(from, 16, MPI_FLOAT, r->right, 0, 16, MPI_FLOAT, window);
	MPI_Win_complete(window);
	MPI_Win_wait(window);
	MPI_Win_lock(MPI_LOCK_SHARED, r->right, 0, window);
	MPI_Get(from, 16, MPI_FLOAT, r->right, 0, 16, MPI_FLOAT, window);
	MPI_Win_unlock(r->right, window);
	MPI_Win_free(&window);
	MPI_Group_free(&all);
	MPI_Group_free(&other);
}

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *from = on_device(BYTES), *to = on_device(BYTES);
	int count = 32;

	partitions(&r, from, to);
	epochs(&r, from, to);
#ifndef FIXED
	count = 64;
#endif
	if (r.rank)
		MPI_Ssend(from, count, MPI_FLOAT, 0, TAG, MPI_COMM_WORLD);
	else
		MPI_Recv(to, 32, MPI_FLOAT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // @receive
	return end();
}
