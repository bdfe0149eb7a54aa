// A transfer that is in flight is released. If the library can abort it, its memory is free
// again; if it says that it cannot, the memory is still in use.
// expect: SC-163 at=use proven order=none
// expect[FIXED]: clean
#include "testcases/nixl/program.h"

int main(void)
{
	nixlAgent here("here", {});
	nixlAgentOptionalArgs refused = {false, true};
	float *aborted = zeros(BYTES), *block = zeros(BYTES);
	cudaStream_t s = stream();
	nixlXferReqH *first = request_of(here, NIXL_WRITE, aborted, THERE);
	nixlXferReqH *second = request_of(here, NIXL_WRITE, block, THERE);

	MUST(NIXL_IN_PROG, here.postXferReq(first));
	MUST(NIXL_IN_PROG, here.postXferReq(second, &refused));
	MUST(NIXL_SUCCESS, here.releaseXferReq(first));
	MUST(NIXL_ERR_REPOST_ACTIVE, here.releaseXferReq(second));
	PUT(s, aborted, COUNT, 2.0f);
#ifdef FIXED
	wait_for(here, second);
#endif
	PUT(s, block, COUNT, 3.0f); // @use
	complete(here, second);
	finish(s, block, 3);
	return 0;
}
