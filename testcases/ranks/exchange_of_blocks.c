// Blocks of several sizes between all ranks: the gaps between them are not touched.
// expect: SC-161 at=exchange proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

#define MOST 8

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *out = on_device(BYTES), *in = on_device(BYTES);
	int counts[MOST], places[MOST], used = r.ranks * 64;
	cudaStream_t s = stream();

	for (int i = 0; i < r.ranks; i++) {
		counts[i] = 32;
		places[i] = i * 64;
	}
	PUT(s, in + used, COUNT - used, 1);
	PUT(s, in + 32, 32, 1);
#ifndef FIXED
	PUT(s, in + 64, 32, 1);
#endif
	MPI_Alltoallv(out, counts, places, MPI_FLOAT, in, counts, places, MPI_FLOAT,
		      MPI_COMM_WORLD); // @exchange
	CHECK(cudaStreamSynchronize(s));
	return end();
}
