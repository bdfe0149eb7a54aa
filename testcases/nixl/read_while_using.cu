// A block is fetched into memory that a kernel still reads.
// expect: SC-161 at=post proven order=none
// expect[FIXED]: clean
#include "testcases/nixl/program.h"

int main(void)
{
	nixlAgent here("here", {});
	float *block = zeros(BYTES), *sum = zeros(BYTES);
	cudaStream_t s = stream();
	nixlXferReqH *request = request_of(here, NIXL_READ, block, THERE);

	ADD(s, sum, block, COUNT);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	MUST(NIXL_IN_PROG, here.postXferReq(request)); // @post
	complete(here, request);
	finish(s, sum, 0);
	return 0;
}
