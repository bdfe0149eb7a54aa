// A block of a key-value cache is sent while the kernel that fills it still runs.
// expect: SC-160 at=post proven order=none
// expect[FIXED]: clean
#include "testcases/nixl/program.h"

int main(void)
{
	nixlAgent here("here", {});
	float *block = zeros(BYTES);
	cudaStream_t s = stream();
	nixlXferReqH *request = request_of(here, NIXL_WRITE, block, THERE);

	PUT(s, block, COUNT, 3.0f);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	MUST(NIXL_IN_PROG, here.postXferReq(request)); // @post
	complete(here, request);
	finish(s, block, 3);
	return 0;
}
