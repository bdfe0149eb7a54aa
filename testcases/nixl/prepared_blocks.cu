// Blocks of a prepared list are sent by their numbers while a kernel fills others of them: only
// the blocks of the transfer are in use, whether the list has blocks or strides, and the numbers
// are a vector or not.
// expect: SC-163 at=first proven order=none
// expect: SC-163 at=second proven order=none
// expect: SC-162 at=third proven order=none
// expect[FIXED]: clean
#include "testcases/nixl/program.h"

#define BLOCKS 16

static void must_be_in_flight(const nixlAgent &agent, nixlXferReqH *request)
{
	MUST(NIXL_IN_PROG, agent.postXferReq(request));
}

int main(void)
{
	nixlAgent here("here", {}), there("there", {});
	float *cache = zeros(BLOCKS * BYTES), *theirs = zeros(BLOCKS * BYTES);
	nixlDescList<nixlBasicDesc> mine(VRAM_SEG), other(VRAM_SEG);
	nixlDescList<nixlStrideDesc> rows(VRAM_SEG);
	nixlDlistH *local, *strided, *remote, *elsewhere;
	nixlXferReqH *by_span, *by_vector, *of_rows;
	const int odd[] = {1, 3, 5, 9}, same[] = {9, 5, 3, 1};
	cudaStream_t s = stream();

	for (int i = 0; i < BLOCKS; i++) {
		mine.addDesc({(uintptr_t)(cache + i * COUNT), BYTES, 0});
		other.addDesc({(uintptr_t)(theirs + i * COUNT), BYTES, 0});
	}
	// the same blocks in two runs, each the first half of a block
	rows.addDesc({(uintptr_t)cache, BYTES / 2, 0, BYTES, BLOCKS / 2});
	rows.addDesc({(uintptr_t)(cache + BLOCKS / 2 * COUNT), BYTES / 2, 0, BYTES, BLOCKS / 2});
	MUST(NIXL_SUCCESS, here.prepXferDlist("", mine, local));
	MUST(NIXL_SUCCESS, here.prepXferDlist(rows, strided));
	MUST(NIXL_SUCCESS, here.prepXferDlist("there", other, remote));
	MUST(NIXL_SUCCESS, here.prepXferDlist("elsewhere", mine, elsewhere));
	MUST(NIXL_SUCCESS, here.makeXferReq(NIXL_WRITE, *local, odd, *remote, same, by_span));
	MUST(NIXL_SUCCESS,
	     here.makeXferReq(NIXL_WRITE, local, {11, 13}, elsewhere, {0, 2}, by_vector));
	MUST(NIXL_SUCCESS, here.makeXferReq(NIXL_READ, *strided, std::vector{4, 12}, *elsewhere,
					    std::vector{6, 8}, of_rows));
	must_be_in_flight(here, by_span);
	must_be_in_flight(here, by_vector);
	must_be_in_flight(here, of_rows);
	for (int i = 0; i < BLOCKS; i += 2) {
		PUT(s, cache + i * COUNT + COUNT / 2, COUNT / 2, 1.0f); // in no transfer
		if (i != 8 && i != 2 && i != 4)
			PUT(s, theirs + i * COUNT, COUNT, 2.0f);
	}
#ifndef FIXED
	PUT(s, cache + 9 * COUNT, COUNT, 3.0f);	 // @first
	PUT(s, cache + 13 * COUNT, COUNT, 3.0f); // @second
	PUT(s, cache + 12 * COUNT, COUNT, 3.0f); // @third
#endif
	complete(here, by_span);
	complete(here, by_vector);
	complete(here, of_rows);
	for (nixlDlistH *list : {local, strided, remote, elsewhere})
		MUST(NIXL_SUCCESS, here.releasedDlistH(list));
	finish(s, cache + COUNT / 2, 1);
	return 0;
}
