// A thousand blocks that lie as they happened to be free: each of them is in use, and none
// between.
// expect: SC-163 at=use proven order=none
// expect[FIXED]: clean
#include "testcases/nixl/program.h"

#define BLOCKS 1000
#define BLOCK  64 // elements

// No three neighbours are equally far from each other.
static size_t place_of(size_t i)
{
	return 2 * BLOCK * (i * (i + 3) / 2 % 8192);
}

int main(void)
{
	nixlAgent here("here", {});
	float *cache = zeros((2 * 8192 + 1) * BLOCK * sizeof(float));
	nixlDescList<nixlBasicDesc> mine(VRAM_SEG), other(VRAM_SEG);
	nixlXferReqH *request;
	cudaStream_t s = stream();

	for (size_t i = 0; i < BLOCKS; i++) {
		mine.addDesc({(uintptr_t)(cache + place_of(i)), BLOCK * sizeof(float), 0});
		other.addDesc({(uintptr_t)(THERE + place_of(i)), BLOCK * sizeof(float), 0});
	}
	MUST(NIXL_SUCCESS, here.createXferReq(NIXL_WRITE, mine, other, "elsewhere", request));
	MUST(NIXL_IN_PROG, here.postXferReq(request));
	for (size_t i = 0; i < BLOCKS; i += 100)
		PUT(s, cache + place_of(i) + BLOCK, BLOCK, 1.0f);
#ifdef FIXED
	wait_for(here, request);
#endif
	PUT(s, cache + place_of(BLOCKS - 1), BLOCK, 2.0f); // @use
	complete(here, request);
	finish(s, cache + place_of(BLOCKS - 1), 2);
	return 0;
}
