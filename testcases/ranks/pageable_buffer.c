// A copy to the device reads memory of malloc into which a message may still arrive.
// expect: SC-162 at=copy proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = on_device(BYTES), *in = malloc(BYTES), *out = malloc(BYTES);
	cudaStream_t s = stream();
	MPI_Request receive;

	for (int i = 0; i < COUNT; i++)
		out[i] = 8;
	MPI_Irecv(in, COUNT, MPI_FLOAT, r.left, 0, MPI_COMM_WORLD, &receive);
#ifdef FIXED
	MPI_Send(out, COUNT, MPI_FLOAT, r.right, 0, MPI_COMM_WORLD);
	MPI_Wait(&receive, MPI_STATUS_IGNORE);
	CHECK(cudaMemcpyAsync(data, in, BYTES, cudaMemcpyHostToDevice, s));
#else
	CHECK(cudaMemcpyAsync(data, in, BYTES, cudaMemcpyHostToDevice, s)); // @copy
	MPI_Send(out, COUNT, MPI_FLOAT, r.right, 0, MPI_COMM_WORLD);
	MPI_Wait(&receive, MPI_STATUS_IGNORE);
#endif
	CHECK(cudaStreamSynchronize(s));
	finish(s, data, 8);
	free(in);
	free(out);
	return end();
}
