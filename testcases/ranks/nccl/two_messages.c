// Two messages to one rank in one group: they are received in the order in which they were sent.
// expect: SC-176 at=first proven
// expect: SC-176 at=second proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

int main(int argc, char **argv)
{
	struct process p = begin();

	(void)argc, (void)argv;
	size_t first = COUNT, second = COUNT;

#ifndef FIXED
	first = p.rank ? COUNT / 2 : COUNT;
	second = p.rank ? COUNT : COUNT / 2;
#endif
	TRY(ncclGroupStart());
	if (p.rank == 0) {
		TRY(ncclSend(p.data, first, ncclFloat32, 1, p.comm, p.stream));
		TRY(ncclSend(p.data, second, ncclFloat32, 1, p.comm, p.stream));
	} else {
		TRY(ncclRecv(p.data, first, ncclFloat32, 0, p.comm, p.stream));	   // @first
		TRY(ncclRecv(p.result, second, ncclFloat32, 0, p.comm, p.stream)); // @second
	}
	TRY(ncclGroupEnd());
	return end(&p);
}
