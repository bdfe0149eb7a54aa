// An error handler of the program leaves a call of MPI by a jump. What comes after it is as any
// other call: a message is sent before the kernel that packs it has ended.
// (MPICH keeps a lock there, and refuses further calls, without us too.)
// expect: SC-160 at=send proven order=none
// expect[FIXED]: clean
#include <setjmp.h>
#include "testcases/ranks/ranks.h"

#ifdef OPEN_MPI
static jmp_buf before;

static void leave(MPI_Comm *communicator, int *error, ...)
{
	(void)communicator, (void)error;
	longjmp(before, 1);
}

// No rank has this number.
static void send_to_nobody(void)
{
	MPI_Errhandler handler;
	int value = 1;

	MPI_Comm_create_errhandler(leave, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	if (!setjmp(before))
		MPI_Send(&value, 1, MPI_INT, 1 << 20, 0, MPI_COMM_WORLD);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Errhandler_free(&handler);
}
#endif

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *packed = on_device(BYTES), *halo = on_device(BYTES);
	cudaStream_t s = stream();
	MPI_Request requests[2];

#ifdef OPEN_MPI
	send_to_nobody();
#endif
	MPI_Irecv(halo, COUNT, MPI_FLOAT, r.left, 0, MPI_COMM_WORLD, &requests[0]);
	PUT(s, packed, COUNT, 3);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	MPI_Isend(packed, COUNT, MPI_FLOAT, r.right, 0, MPI_COMM_WORLD, &requests[1]); // @send
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	finish(s, halo, 3);
	return end();
}
