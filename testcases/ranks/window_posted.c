// Other ranks may read the window between post and wait: a kernel that still writes it, and one
// that is launched meanwhile, may meet them.
//
// expect: SC-160 at=post possible doubt=upper_bound order=none
// expect: SC-163 at=write possible doubt=upper_bound order=other_work
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *window = on_device(BYTES), *theirs = on_device(BYTES), *sum = on_device(BYTES);
	cudaStream_t s = stream(), other = stream();
	MPI_Group world, left, right;
	MPI_Win win;

	MPI_Win_create(window, BYTES, sizeof(float), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &r.left, &left);
	MPI_Group_incl(world, 1, &r.right, &right);
	PUT(s, window, COUNT, 5);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	MPI_Win_post(left, 0, win); // @post
	CHECK(cudaStreamSynchronize(s));
	MPI_Win_start(right, 0, win);
	MPI_Get(theirs, COUNT, MPI_FLOAT, r.right, 0, COUNT, MPI_FLOAT, win);
	ADD(s, sum, window, COUNT);
	CHECK(cudaStreamSynchronize(s));
#ifndef FIXED
	PUT(other, window, COUNT, 6); // @write
#endif
	MPI_Win_complete(win);
	MPI_Win_wait(win);
	PUT(other, window, COUNT, 6);
	CHECK(cudaStreamSynchronize(other));
	finish(s, theirs, 5);
	MPI_Win_free(&win);
	MPI_Group_free(&world);
	MPI_Group_free(&left);
	MPI_Group_free(&right);
	return end();
}
