// A block is fetched, and a kernel uses it before its transfer is known to be complete.
// expect: SC-162 at=use proven order=none
// expect[FIXED]: clean
#include "testcases/nixl/program.h"

int main(void)
{
	nixlAgent here("here", {});
	float *block = zeros(BYTES), *sum = zeros(BYTES);
	cudaStream_t s = stream();
	nixlXferReqH *request = request_of(here, NIXL_READ, block, THERE);

	MUST(NIXL_IN_PROG, here.postXferReq(request));
	// an answer that it is not complete shows nothing
	MUST(NIXL_IN_PROG, here.getXferStatus(request));
#ifdef FIXED
	wait_for(here, request);
#endif
	ADD(s, sum, block, COUNT); // @use
	complete(here, request);
	finish(s, sum, 0);
	return 0;
}
