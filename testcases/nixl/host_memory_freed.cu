// Memory of malloc() is sent, and freed before the transfer is known to be complete; another thread
// may ask.
// expect: SC-164 at=free proven order=none
// expect[FIXED]: clean
#include "testcases/nixl/program.h"

#include <thread>

int main(void)
{
	nixlAgent here("here", {});
	float *block = (float *)malloc(BYTES);
	nixlXferReqH *request = nullptr;

	CHECK(cudaFree(NULL)); // recording begins
	fill(block, 1, COUNT);
	MUST(NIXL_SUCCESS,
	     here.createXferReq(NIXL_WRITE, list_of(block, COUNT, DRAM_SEG),
				list_of(THERE, COUNT, DRAM_SEG), "elsewhere", request));
	MUST(NIXL_IN_PROG, here.postXferReq(request));
#ifdef FIXED
	std::thread([&] { wait_for(here, request); }).join();
	free(block);
#else
	free(block); // @free
#endif
	MUST(NIXL_SUCCESS, here.releaseXferReq(request));
	return 0;
}
