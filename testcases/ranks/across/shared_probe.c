// A message that was found comes after what its sender had done, before it is received. That all is
// over in time is hidden from streamcheck.
// expect: SC-175 at=fill possible doubt=other_channel
// expect: SC-175 at=probed possible doubt=other_channel
// expect: SC-175 at=more possible doubt=other_channel
// expect: SC-175 at=polled possible doubt=other_channel
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES);
	MPI_Comm unseen = unfollowed();
	cudaStream_t s = stream();
	MPI_Status status;

	if (r.rank == 1) {
		PUT(s, data, PART, 1); // @fill
		CHECK(cudaStreamSynchronize(s));
		tell(0);
	}
	MPI_Barrier(unseen);
	if (r.rank == 0) {
#ifdef FIXED
		MPI_Probe(1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
		PUT(s, data, PART, 2); // @probed
		hear_from(1);
	} else {
		PUT(s, data + PART, PART, 1); // @more
		CHECK(cudaStreamSynchronize(s));
		tell(0);
	}
	MPI_Barrier(unseen);
	if (r.rank == 0) {
#ifdef FIXED
		int is_there = 0;

		while (!is_there)
			MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status);
#endif
		PUT(s, data + PART, PART, 2); // @polled
		MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	}
	return end_shared(r, data);
}
