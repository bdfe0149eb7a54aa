// The message from rank 0 to rank 2 goes through rank 1, which uses none of the memory.
// ranks: 3
// expect: SC-175 at=fill proven
// expect: SC-175 at=read proven
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES), *sum = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Request request;

	if (r.rank == 0) {
		PUT(s, data, COUNT, 1); // @fill
#ifdef FIXED
		CHECK(cudaStreamSynchronize(s));
#endif
		tell(1);
	} else if (r.rank == 1) {
		MPI_Irecv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, &(MPI_Status){0});
		tell(2);
	} else {
		hear_from(1);
		ADD(s, sum, data, COUNT); // @read
	}
	return end_shared(r, data);
}
