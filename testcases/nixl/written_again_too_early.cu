// A block is filled anew before the transfer that sends it is known to be complete; memory of the
// host by a copy, memory of the device by a kernel.
// expect: SC-163 at=kernel proven order=none
// expect: SC-163 at=copy proven order=none
// expect[FIXED]: clean
#include "testcases/nixl/program.h"

int main(void)
{
	nixlAgent here("here", {});
	float *block = zeros(BYTES), *staged = pinned(BYTES), *other = zeros(BYTES);
	cudaStream_t s = stream();
	nixlXferReqH *request = request_of(here, NIXL_WRITE, block, THERE), *of_host = nullptr;

	MUST(NIXL_SUCCESS,
	     here.createXferReq(NIXL_WRITE, list_of(staged, COUNT, DRAM_SEG),
				list_of(THERE, COUNT, DRAM_SEG), "elsewhere", of_host));
	MUST(NIXL_IN_PROG, here.postXferReq(request));
	MUST(NIXL_IN_PROG, here.postXferReq(of_host));
#ifdef FIXED
	wait_for(here, request);
	wait_for(here, of_host);
#endif
	PUT(s, block, COUNT, 2.0f);						 // @kernel
	CHECK(cudaMemcpyAsync(staged, other, BYTES, cudaMemcpyDeviceToHost, s)); // @copy
	complete(here, request);
	complete(here, of_host);
	finish(s, block, 2);
	return 0;
}
