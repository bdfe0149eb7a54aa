// The memory of a transfer is freed before it is known to be complete.
// expect: SC-164 at=free proven order=none
// expect[FIXED]: clean
#include "testcases/nixl/program.h"

int main(void)
{
	nixlAgent here("here", {});
	float *block = zeros(BYTES);
	nixlXferReqH *request = request_of(here, NIXL_WRITE, block, THERE);

	MUST(NIXL_IN_PROG, here.postXferReq(request));
#ifdef FIXED
	complete(here, request);
	CHECK(cudaFree(block));
#else
	CHECK(cudaFree(block)); // @free
	MUST(NIXL_SUCCESS, here.releaseXferReq(request));
#endif
	return 0;
}
