// Two communicators, each in a stream of its own, in another order in rank 1: it works as long as
// the device runs both side by side.
// expect: SC-177 at=tensor possible doubt=side_by_side
// expect: SC-177 at=data possible doubt=side_by_side
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();
	bool is_swapped = false;
	cudaStream_t second = stream();
	float *more = on_device(BYTES);
	ncclComm_t other;

	(void)argc, (void)argv;
	TRY(ncclCommInitRank(&other, p.ranks, shared_id(p.rank), p.rank));
	connect_all(&p, p.comm);
	connect_all(&p, other);
	CHECK(cudaStreamSynchronize(p.stream));
#ifndef FIXED
	is_swapped = p.rank == 1;
#endif
	for (int i = 0; i < 2; i++)
		if (is_swapped == (i == 0))
			TRY(ncclAllGather(more, p.result, COUNT / 4, ncclFloat32, other,
					  second)); // @data
		else
			TRY(ncclAllReduce(p.data, p.data, COUNT, ncclFloat32, ncclSum, p.comm,
					  p.stream)); // @tensor
	CHECK(cudaStreamSynchronize(second));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(more));
	TRY(ncclCommDestroy(other));
	return end(&p);
}
