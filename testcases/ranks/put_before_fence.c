// What is put into other ranks' windows is overwritten before the fence that ends the epoch.
// expect: SC-163 at=pack proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *window = on_device(BYTES), *mine = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Win win;

	MPI_Win_create(window, BYTES, sizeof(float), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	PUT(s, mine, COUNT, 5);
	CHECK(cudaStreamSynchronize(s));
	MPI_Win_fence(0, win);
	MPI_Put(mine, COUNT, MPI_FLOAT, r.right, 0, COUNT, MPI_FLOAT, win);
#ifndef FIXED
	PUT(s, mine, COUNT, 6); // @pack
#endif
	MPI_Win_fence(0, win);
	PUT(s, mine, COUNT, 6);
	finish(s, window, 5);
	MPI_Win_free(&win);
	return end();
}
