// Between two fences in which this rank gets from the windows of others, they may get from its own.
// What is done between fences without such an operation is as it must be.
//
// expect: SC-160 at=get possible doubt=upper_bound order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *window = on_device(BYTES), *theirs = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Win win;

	MPI_Win_create(window, BYTES, sizeof(float), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	for (int turn = 0; turn < 3; turn++) {
		PUT(s, window, COUNT, 5);
#ifdef FIXED
		CHECK(cudaStreamSynchronize(s));
#endif
		MPI_Win_fence(0, win);
		MPI_Get(theirs, COUNT, MPI_FLOAT, r.right, 0, COUNT, MPI_FLOAT, win); // @get
		CHECK(cudaStreamSynchronize(s));
		MPI_Win_fence(0, win);
	}
	PUT(s, window, COUNT, 6);
	finish(s, theirs, 5);
	MPI_Win_free(&win);
	return end();
}
