// A scan brings to each rank what those before it have, and nothing of those after it. That all is
// over in time is hidden from streamcheck.
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
#ifdef FIXED
	const int first = 0;
#else
	const int first = 1;
#endif
	int sum, one = 1;

	if (r.rank == first)
		PUT(s, data, COUNT, 1); // @fill
	complete_unseen(r, first, s, unseen);
	MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (r.rank != first)
		PUT(s, data, COUNT, 2); // @use
	return end_shared(r, data);
}
