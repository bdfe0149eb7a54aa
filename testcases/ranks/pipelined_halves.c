// A pipeline: the first half is sent while the second one is written. Waiting for the wrong event
// is an error, although half of the buffer is complete.
// expect: SC-160 at=second proven cause=SC-111
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *packed = on_device(BYTES), *halo = on_device(BYTES);
	int half = COUNT / 2;
	cudaStream_t s = stream();
	cudaEvent_t done[2];
	MPI_Request requests[4];

	for (int i = 0; i < 2; i++)
		CHECK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
	for (int i = 0; i < 2; i++) {
		PUT(s, packed + i * half, half, 6);
		CHECK(cudaEventRecord(done[i], s));
	}
	MPI_Irecv(halo, half, MPI_FLOAT, r.left, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(halo + half, half, MPI_FLOAT, r.left, 1, MPI_COMM_WORLD, &requests[1]);
	CHECK(cudaEventSynchronize(done[0]));
	MPI_Isend(packed, half, MPI_FLOAT, r.right, 0, MPI_COMM_WORLD, &requests[2]);
#ifdef FIXED
	CHECK(cudaEventSynchronize(done[1]));
#endif
	MPI_Isend(packed + half, half, MPI_FLOAT, r.right, 1, MPI_COMM_WORLD,
		  &requests[3]); // @second
	MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
	finish(s, halo, 6);
	return end();
}
