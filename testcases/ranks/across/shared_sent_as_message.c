// MPI sends from memory of another rank, whose kernel still writes it.
// ranks: 3
// expect: SC-175 at=fill proven
// expect: SC-175 at=send proven
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES), *copy = on_device(BYTES);
	cudaStream_t s = stream();

	if (r.rank == 0) {
		PUT(s, data, COUNT, 1); // @fill
#ifdef FIXED
		CHECK(cudaStreamSynchronize(s));
#endif
		tell(1);
	} else if (r.rank == 1) {
		hear_from(0);
		MPI_Send(data, COUNT, MPI_FLOAT, 2, 1, MPI_COMM_WORLD); // @send
	} else {
		MPI_Recv(copy, COUNT, MPI_FLOAT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	return end_shared(r, data);
}
