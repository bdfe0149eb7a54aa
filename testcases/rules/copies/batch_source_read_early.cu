// A batch may read its source during the call, while only the stream orders the work that fills it.
// expect: SC-139 at=batch proven order=none
// expect[FIXED]: clean
#include "testcases/common.h"

#ifdef FIXED
#define ORDER cudaMemcpySrcAccessOrderStream
#else
#define ORDER cudaMemcpySrcAccessOrderDuringApiCall
#endif

int main()
{
	const int N = 1 << 12;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_first = on_device(bytes), *d_second = on_device(bytes);
	void *dsts[] = {d_second};
	const void *srcs[] = {d_first};
	size_t sizes[] = {bytes}, first = 0;
	struct cudaMemcpyAttributes attributes = {};
	cudaStream_t stream;

	attributes.srcAccessOrder = ORDER;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_first, 0, bytes, stream));
	CHECK(cudaMemcpyBatchAsync(dsts, srcs, sizes, 1, &attributes, &first, 1, stream)); // @batch
	CHECK(cudaMemcpyAsync(h_back, d_second, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
#ifdef FIXED
	verify(h_back, 0, N);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_first));
	CHECK(cudaFree(d_second));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
