// What another process has at the same address, and what lies in a file, is no memory of this
// one; and a request that cannot be made begins nothing.
// expect: clean
// expect[FIXED]: clean
#include "testcases/nixl/program.h"

int main(void)
{
	nixlAgent here("here", {});
	float *block = zeros(BYTES), *other = zeros(BYTES);
	nixlDescList<nixlBasicDesc> file(FILE_SEG), two(VRAM_SEG);
	nixlXferReqH *to_elsewhere = request_of(here, NIXL_WRITE, block, other), *to_file, *wrong;
	cudaStream_t s = stream();

	// of a file the address is an offset
	file.addDesc({(uintptr_t)other, BYTES, 3});
	MUST(NIXL_SUCCESS,
	     here.createXferReq(NIXL_WRITE, list_of(block, COUNT), file, "here", to_file));
	two.addDesc({(uintptr_t)other, BYTES, 0});
	two.addDesc({(uintptr_t)other, BYTES, 0});
	MUST(NIXL_ERR_INVALID_PARAM,
	     here.createXferReq(NIXL_WRITE, list_of(block, COUNT), two, "here", wrong));
	MUST(NIXL_IN_PROG, here.postXferReq(to_elsewhere));
	MUST(NIXL_IN_PROG, here.postXferReq(to_file));
	PUT(s, other, COUNT, 2.0f);
	complete(here, to_elsewhere);
	complete(here, to_file);
	finish(s, other, 2);
	return 0;
}
