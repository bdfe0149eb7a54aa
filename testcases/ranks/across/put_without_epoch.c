// A rank puts into a window before the fence that begins the epoch.
// expect: SC-173 at=put proven
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *window = on_device(BYTES), *mine = on_device(BYTES);
	MPI_Win win;

	MPI_Win_create(window, BYTES, sizeof(float), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
#ifdef FIXED
	MPI_Win_fence(0, win);
#endif
	MPI_Put(mine, COUNT, MPI_FLOAT, r.right, 0, COUNT, MPI_FLOAT, win); // @put
	MPI_Win_fence(0, win);
	MPI_Win_lock(MPI_LOCK_SHARED, r.left, 0, win);
	MPI_Get(mine, COUNT, MPI_FLOAT, r.left, 0, COUNT, MPI_FLOAT, win);
	MPI_Win_unlock(r.left, win);
	MPI_Win_free(&win);
	return end();
}
