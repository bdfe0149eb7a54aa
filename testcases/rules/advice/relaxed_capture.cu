// Memory is allocated while a stream captures, which only the relaxed mode lets pass: that happens
// once, and not with each launch.
// expect: SC-324 at=allocate proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const size_t bytes = 1 << 16;
	float *d_data = NULL;
	cudaStream_t stream;
	cudaGraph_t graph;

	CHECK(cudaStreamCreate(&stream));
#ifdef FIXED
	d_data = on_device(bytes);
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
#else
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	d_data = on_device(bytes); // @allocate
#endif
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
}
