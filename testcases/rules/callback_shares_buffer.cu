// A callback edits a result where the host thread edits it too, with nothing between the two.
// expect: SC-124 at=edit
// expect: SC-103 at=edit proven
// expect[FIXED]: clean
#include "testcases/common.h"

static void CUDART_CB edit(void *data)
{
	*(float *)data = 5;
}

int main()
{
	const size_t bytes = 1 << 14;
	float *h_data = pinned(bytes), *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(h_data, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaLaunchHostFunc(stream, edit, h_data));
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	h_data[0] = 6; // @edit
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
