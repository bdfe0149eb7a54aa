// One request is posted for each token; before the second post the host forgets to wait for the
// kernel. A post that the library refuses, since the request is in flight, begins nothing; one
// that it accepts shows that the transfer before is complete.
// expect: SC-160 at=again proven order=none
// expect[FIXED]: clean
#include "testcases/nixl/program.h"

int main(void)
{
	nixlAgent here("here", {});
	nixlAgentOptionalArgs small = {true, false};
	float *block = zeros(BYTES);
	cudaStream_t s = stream();
	nixlXferReqH *request = request_of(here, NIXL_WRITE, block, THERE);

	PUT(s, block, COUNT, 1.0f);
	CHECK(cudaStreamSynchronize(s));
	MUST(NIXL_IN_PROG, here.postXferReq(request));
	MUST(NIXL_ERR_REPOST_ACTIVE, here.postXferReq(request));
	wait_for(here, request);
	PUT(s, block, COUNT, 2.0f);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	MUST(NIXL_SUCCESS, here.postXferReq(request, &small)); // @again
#ifndef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	MUST(NIXL_SUCCESS, here.postXferReq(request, &small));
	PUT(s, block, COUNT, 4.0f); // complete when it was posted
	CHECK(cudaStreamSynchronize(s));
	MUST(NIXL_IN_PROG, here.postXferReq(request));
	MUST(NIXL_IN_PROG, here.getXferStatus(request));
	complete(here, request);
	finish(s, block, 4);
	return 0;
}
