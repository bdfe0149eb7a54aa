// A synchronous send is complete once its receive has begun: what the receiver had done by then is
// over. Of another send nothing follows. That all is over in time is hidden from streamcheck.
// expect: SC-175 at=blocking possible doubt=other_channel
// expect: SC-175 at=fill possible doubt=other_channel
// expect: SC-175 at=request possible doubt=other_channel
// expect: SC-175 at=more possible doubt=other_channel
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES);
	MPI_Comm unseen = unfollowed();
	cudaStream_t s = stream();
	MPI_Request request;
	int none = 0;

	if (r.rank == 1)
		PUT(s, data, PART, 1); // @fill
	complete_unseen(r, 1, s, unseen);
	if (r.rank == 1) {
		hear_from(0);
		PUT(s, data + PART, PART, 1); // @more
	} else {
#ifdef FIXED
		MPI_Ssend(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
#else
		tell(1);
#endif
		PUT(s, data, PART, 2); // @blocking
	}
	complete_unseen(r, 1, s, unseen);
	if (r.rank == 1) {
		MPI_Recv(&none, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
#ifdef FIXED
		MPI_Issend(&none, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
#else
		MPI_Isend(&none, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
#endif
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		PUT(s, data + PART, PART, 2); // @request
	}
	return end_shared(r, data);
}
