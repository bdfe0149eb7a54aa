// Another thread completes the request. What is enqueued before it was joined may come too early.
// expect: SC-162 at=use proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

#include <pthread.h>

static void *complete(void *request)
{
	MPI_Wait(request, MPI_STATUS_IGNORE);
	return NULL;
}

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *mine = on_device(BYTES), *halo = on_device(BYTES), *sum = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Request receive;
	pthread_t thread;

	MPI_Irecv(halo, COUNT, MPI_FLOAT, r.left, 0, MPI_COMM_WORLD, &receive);
	MPI_Barrier(MPI_COMM_WORLD);
#ifndef FIXED
	ADD(s, sum, halo, COUNT); // @use
#endif
	MPI_Send(mine, COUNT, MPI_FLOAT, r.right, 0, MPI_COMM_WORLD);
	pthread_create(&thread, NULL, complete, &receive);
	pthread_join(thread, NULL);
	ADD(s, sum, halo, COUNT);
	finish(s, sum, 0);
	return end();
}
