// Communicators that are made by several ids, in a group, and out of another one without a rank.
// ranks: 3
// expect: SC-170 at=gather proven
// expect: SC-170 at=reduce proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
	ncclUniqueId ids[2] = {shared_id(p.rank), shared_id(p.rank)};
	ncclComm_t large, grouped, small = NULL;

	TRY(ncclCommInitRankScalable(&large, p.ranks, p.rank, 2, ids, NULL));
	TRY(ncclGroupStart());
	TRY(ncclCommInitRankConfig(&grouped, p.ranks, shared_id(p.rank), p.rank, NULL));
	TRY(ncclGroupEnd());
	TRY(ncclAllGather(p.data, p.result, COUNT / 4, ncclFloat32, grouped, p.stream));
	TRY(ncclAllReduce(p.data, p.result, COUNT, ncclFloat32, ncclSum, large, p.stream));
	if (p.rank)
		TRY(ncclCommShrink(large, &(int){0}, 1, &small, NULL, 0));
#ifdef FIXED
	if (small)
		TRY(ncclAllGather(p.data, p.result, COUNT / 4, ncclFloat32, small, p.stream));
#else
	if (p.rank == 1)
		TRY(ncclAllGather(p.data, p.result, COUNT / 4, ncclFloat32, small,
				  p.stream)); // @gather
	if (p.rank == 2)
		TRY(ncclAllReduce(p.data, p.result, COUNT, ncclFloat32, ncclSum, small,
				  p.stream)); // @reduce
#endif
	TRY(ncclCommDestroy(large));
	TRY(ncclCommDestroy(grouped));
	if (small)
		TRY(ncclCommDestroy(small));
	return end(&p);
}
