// Pinned memory, watched by the page guard, that ranks read from each other.
// expect: SC-101 at=read proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *result = on_device(BYTES * 64), *out = pinned(BYTES * 64), *in = pinned(BYTES * 64);
	cudaStream_t s = stream();

	CHECK(cudaMemcpyAsync(out, result, BYTES * 64, cudaMemcpyDeviceToHost, s));
	CHECK(cudaStreamSynchronize(s));
	MPI_Sendrecv(out, COUNT * 64, MPI_FLOAT, r.right, 0, in, COUNT * 64, MPI_FLOAT, r.left, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK(cudaMemcpyAsync(out, result, BYTES, cudaMemcpyDeviceToHost, s));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	if (out[5] != 0) // @read
		return 1;
	CHECK(cudaStreamSynchronize(s));
	return end();
}
