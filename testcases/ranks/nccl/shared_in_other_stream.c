// Rank 1 receives a message that rank 0 sent after its kernel, and reads what the kernel wrote: in
// another stream, which waits for the receive, or does not.
// expect: SC-175 at=write proven
// expect: SC-175 at=read proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/library/shared.h"

int main(int argc, char **argv)
{
	struct process p = begin();
	float *shared = shared_memory(&p);
	cudaStream_t other = stream();
	cudaEvent_t received;

	(void)argc, (void)argv;
	CHECK(cudaEventCreateWithFlags(&received, cudaEventDisableTiming));
	if (p.rank == 0) {
		PUT(p.stream, shared, COUNT, 1); // @write
		TRY(ncclSend(p.data, COUNT, ncclFloat32, 1, p.comm, p.stream));
	} else {
		TRY(ncclRecv(p.data, COUNT, ncclFloat32, 0, p.comm, other));
#ifdef FIXED
		CHECK(cudaEventRecord(received, other));
		CHECK(cudaStreamWaitEvent(p.stream, received, 0));
#endif
		CHECK(cudaMemcpyAsync(p.result, shared, BYTES, cudaMemcpyDeviceToDevice,
				      p.stream)); // @read
	}
#ifndef FIXED
	meet(&p);
	if (p.rank == 1)
		CHECK(cudaStreamSynchronize(other));
#endif
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaEventDestroy(received));
	return end_shared(&p, shared);
}
