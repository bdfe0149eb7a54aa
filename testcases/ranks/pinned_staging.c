// The result is copied to pinned memory, and sent before the copy is complete.
// expect: SC-160 at=send proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *result = on_device(BYTES), *out = pinned(BYTES), *in = pinned(BYTES);
	cudaStream_t s = stream();

	PUT(s, result, COUNT, 7);
	CHECK(cudaMemcpyAsync(out, result, BYTES, cudaMemcpyDeviceToHost, s));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	MPI_Sendrecv(out, COUNT, MPI_FLOAT, r.right, 0, in, COUNT, MPI_FLOAT, r.left, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE); // @send
	CHECK(cudaMemcpyAsync(result, in, BYTES, cudaMemcpyHostToDevice, s));
	finish(s, result, 7);
	return end();
}
