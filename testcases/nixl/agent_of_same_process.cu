// Two agents of one process: the memory on the other side of a transfer is the program's, too.
// expect: SC-161 at=post proven order=none
// expect: SC-162 at=use proven order=other_work
// expect[FIXED]: clean
#include "testcases/nixl/program.h"

int main(void)
{
	nixlAgent here("here", {}), there("there", {});
	float *mine = zeros(BYTES), *theirs = zeros(BYTES), *sum = zeros(BYTES);
	cudaStream_t s = stream();
	nixlXferReqH *request = request_of(here, NIXL_WRITE, mine, theirs, "there");

	PUT(s, mine, COUNT, 3.0f);
	CHECK(cudaStreamSynchronize(s));
	ADD(s, sum, theirs, COUNT);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	MUST(NIXL_IN_PROG, here.postXferReq(request)); // @post
#ifdef FIXED
	wait_for(here, request);
#else
	CHECK(cudaStreamSynchronize(s));
#endif
	ADD(s, sum, theirs, COUNT); // @use
	complete(here, request);
	finish(s, sum, 3);
	return 0;
}
