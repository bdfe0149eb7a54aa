// What is fetched from other ranks' windows is used before the flush that completes it; one rank is
// flushed, the other is not.
// expect: SC-162 at=use proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *window = on_device(BYTES), *got = on_device(BYTES), *sum = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Win win;

	MPI_Win_create(window, BYTES, sizeof(float), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_lock_all(0, win);
	MPI_Get(got, 512, MPI_FLOAT, r.rank, 0, 512, MPI_FLOAT, win);
	MPI_Get(got + 512, 512, MPI_FLOAT, r.right, 0, 512, MPI_FLOAT, win);
	MPI_Win_flush(r.rank, win);
	ADD(s, sum, got, 512);
#ifdef FIXED
	MPI_Win_flush_local(r.right, win);
#endif
	ADD(s, sum + 512, got + 512, 512); // @use
	MPI_Win_unlock_all(win);
	finish(s, sum, 0);
	MPI_Win_free(&win);
	return end();
}
