// A host function sends what its own stream wrote before it, which is right, or another stream did.
// expect: SC-160 at=send proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

struct message {
	float *data;
	int to;
};

static void send(void *message)
{
	struct message *m = message;

	MPI_Send(m->data, 16, MPI_FLOAT, m->to, 0, MPI_COMM_WORLD); // @send
}

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *mine = on_device(BYTES), *other = on_device(BYTES), *in = on_device(BYTES);
	cudaStream_t s = stream(), t = stream();
	struct message message = {mine, r.right};

	PUT(s, mine, COUNT, 4);
	PUT(t, other, COUNT, 4);
#ifndef FIXED
	message.data = other;
#endif
	CHECK(cudaLaunchHostFunc(s, send, &message));
	CHECK(cudaStreamSynchronize(s));
	MPI_Recv(in, 16, MPI_FLOAT, r.left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	PUT(s, mine, COUNT, 5);
	CHECK(cudaStreamSynchronize(t));
	CHECK(cudaStreamSynchronize(s));
	return end();
}
