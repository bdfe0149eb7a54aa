// A stream is synchronized while it captures: the call is refused and the capture is lost.
// expect: SC-130 at=sync proven
// expect[FIXED]: clean
#include "testcases/common.h"

int main()
{
	const size_t bytes = 1 << 16;
	float *d_data = on_device(bytes);
	cudaStream_t stream;
	cudaGraph_t graph = NULL;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
#ifndef FIXED
	if (cudaStreamSynchronize(stream) == cudaSuccess) // @sync
		return EXIT_WRONG;
#endif
	if (cudaStreamEndCapture(stream, &graph) == cudaSuccess)
		CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
}
