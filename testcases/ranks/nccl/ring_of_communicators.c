// Three ranks, a communicator for each two of them: each rank begins with another one. Two of them
// alone have no order that could differ.
// ranks: 3
// hangs: rank 0 rank 1 rank 2
// expect: SC-177 at=first proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

static void reduce(struct process *p, ncclComm_t comm)
{
	TRY(ncclAllReduce(p->data, p->data, COUNT, ncclFloat32, ncclSum, comm,
			  p->stream)); // @first
}

int main(int argc, char **argv)
{
	struct process p = begin();
	ncclComm_t comms[3];
	int first;

	(void)argc, (void)argv;
	for (int i = 0; i < 3; i++) { // of ranks i and i + 1
		ncclUniqueId id = shared_id(p.rank);

		if (p.rank == i || p.rank == (i + 1) % 3)
			TRY(ncclCommInitRank(&comms[i], 2, id, p.rank != i));
	}
	for (int i = 0; i < 3; i++)
		if (p.rank == i || p.rank == (i + 1) % 3)
			connect_all(&p, comms[i]);
#ifdef FIXED
	first = 0; // all in the order of the communicators
#else
	first = p.rank;
#endif
	for (int k = 0; k < 3; k++) {
		int i = (first + k) % 3;

		if (p.rank == i || p.rank == (i + 1) % 3)
			reduce(&p, comms[i]);
	}
	return end(&p);
}
