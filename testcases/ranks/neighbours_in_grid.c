// Halos are exchanged with the neighbours in a grid. The inner part of the buffer may be worked on
// meanwhile, the halos may not.
// expect: SC-162 at=halo proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

#define HALO 64

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *out = on_device(BYTES), *in = on_device(BYTES), *sum = on_device(BYTES);
	int dimensions[1] = {r.ranks}, periods[1] = {1}, counts[2] = {HALO, HALO};
	MPI_Aint places[2] = {0, BYTES - HALO * sizeof(float)};
	MPI_Datatype types[2] = {MPI_FLOAT, MPI_FLOAT};
	cudaStream_t s = stream();
	MPI_Request request;
	MPI_Comm grid;

	MPI_Cart_create(MPI_COMM_WORLD, 1, dimensions, periods, 0, &grid);
	PUT(s, out, COUNT, 3);
	CHECK(cudaStreamSynchronize(s));
	MPI_Ineighbor_alltoallw(out, counts, places, types, in, counts, places, types, grid,
				&request);
	ADD(s, sum, in + HALO, COUNT - 2 * HALO);
#ifdef FIXED
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	ADD(s, sum, in, HALO);
#else
	ADD(s, sum, in + COUNT - HALO, HALO); // @halo
	MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
	finish(s, sum, 3);
	MPI_Comm_free(&grid);
	return end();
}
