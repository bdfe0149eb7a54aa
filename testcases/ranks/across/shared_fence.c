// A fence that ends an epoch is a barrier; one that ends none need not be. That all is over in time
// is hidden from streamcheck.
// expect: SC-175 at=fill possible doubt=other_channel
// expect: SC-175 at=use possible doubt=other_channel
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES);
	MPI_Comm unseen = unfollowed();
	cudaStream_t s = stream();
	int words[2] = {0};
	MPI_Win win;

	MPI_Win_create(words, sizeof(words), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
#ifdef FIXED
	MPI_Win_fence(0, win);
#endif
	if (r.rank == 1)
		PUT(s, data, COUNT, 1); // @fill
	complete_unseen(r, 1, s, unseen);
#ifdef FIXED
	MPI_Win_fence(0, win);
#else
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
#endif
	if (r.rank == 0)
		PUT(s, data, COUNT, 2); // @use
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Win_free(&win);
	return end_shared(r, data);
}
