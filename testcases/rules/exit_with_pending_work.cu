// The program ends without a wait for its last work.
// expect: SC-401
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const size_t bytes = 1 << 20;
	float *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
#endif
	return 0;
}
