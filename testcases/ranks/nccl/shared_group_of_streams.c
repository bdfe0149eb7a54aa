// A group over two streams is one operation, which begins after what both of them had: rank 0 sends
// in one stream, and has written in the other one. Two calls without a group are two operations.
// expect: SC-175 at=write proven
// expect: SC-175 at=read proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/library/shared.h"

static void exchange(struct process *p, cudaStream_t second)
{
	if (p->rank == 0) {
		TRY(ncclSend(p->data, COUNT, ncclFloat32, 1, p->comm, p->stream));
		TRY(ncclRecv(p->result, COUNT, ncclFloat32, 1, p->comm, second));
	} else {
		TRY(ncclRecv(p->result, COUNT, ncclFloat32, 0, p->comm, p->stream));
		TRY(ncclSend(p->data, COUNT, ncclFloat32, 0, p->comm, second));
	}
}

int main(int argc, char **argv)
{
	struct process p = begin();
	float *shared = shared_memory(&p);
	float *copy = on_device(BYTES);
	cudaStream_t second = stream();

	(void)argc, (void)argv;
	if (p.rank == 0)
		PUT(second, shared, COUNT, 1); // @write
#ifdef FIXED
	TRY(ncclGroupStart());
#endif
	exchange(&p, second);
#ifdef FIXED
	TRY(ncclGroupEnd());
#endif
	if (p.rank == 1)
		CHECK(cudaMemcpyAsync(copy, shared, BYTES, cudaMemcpyDeviceToDevice,
				      p.stream)); // @read
	meet(&p);
	CHECK(cudaStreamSynchronize(second));
	CHECK(cudaStreamDestroy(second));
	end_shared(&p, shared);
	CHECK(cudaFree(copy));
	return 0;
}
