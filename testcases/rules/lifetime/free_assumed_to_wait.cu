// cudaFree of memory that a memset still uses: it usually waits, and nothing promises it.
// expect: SC-204 at=free proven order=none
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const size_t bytes = 1 << 18;
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaFree(d_data)); // @free
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
