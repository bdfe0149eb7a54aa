// Each rank fills a half of the memory at the same time; one of them goes too far.
// expect: SC-175 at=lower proven
// expect: SC-175 at=upper proven
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES);
	cudaStream_t s = stream();
#ifdef FIXED
	const int count = COUNT / 2;
#else
	const int count = COUNT / 2 + 1;
#endif

	if (r.rank == 0)
		PUT(s, data, count, 1); // @lower
	else
		PUT(s, data + COUNT / 2, COUNT / 2, 2); // @upper
	return end_shared(r, data);
}
