// An agent is destroyed while a transfer of it is in flight, whose status nobody asked for.
// expect: SC-406 at=post proven
// expect[FIXED]: clean
#include "testcases/nixl/program.h"

int main(void)
{
	auto here = std::make_unique<nixlAgent>("here", nixlAgentConfig());
	float *block = zeros(BYTES);
	nixlXferReqH *request = request_of(*here, NIXL_WRITE, block, THERE);

	MUST(NIXL_IN_PROG, here->postXferReq(request)); // @post
#ifdef FIXED
	complete(*here, request);
#endif
	here.reset();
	return 0;
}
