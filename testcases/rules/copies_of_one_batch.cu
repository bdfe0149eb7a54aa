// One batch copies a buffer and copies the copy: the copies of a batch have no order among them.
// expect: SC-118 at=batch proven
// expect[FIXED]: clean
#include "testcases/common.h"

// One batch of one copy, or of two if there is a second pair.
static void copy_batch(float *dst, float *src, float *dst2, float *src2, size_t bytes,
		       cudaStream_t stream)
{
	void *dsts[] = {dst, dst2};
	const void *srcs[] = {src, src2};
	size_t sizes[] = {bytes, bytes}, first = 0;
	struct cudaMemcpyAttributes attributes = {};

	attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	CHECK(cudaMemcpyBatchAsync(dsts, srcs, sizes, dst2 ? 2 : 1, &attributes, &first, 1,
				   stream));
}

int main()
{
	const int N = 1 << 12;
	const size_t bytes = N * sizeof(float);
	float *h_back = pinned(bytes);
	float *d_first = on_device(bytes), *d_second = on_device(bytes),
	      *d_third = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_first, 0, bytes, stream));
	CHECK(cudaMemsetAsync(d_second, 1, bytes, stream));
#ifdef FIXED
	copy_batch(d_second, d_first, NULL, NULL, bytes, stream);
	copy_batch(d_third, d_second, NULL, NULL, bytes, stream);
#else
	copy_batch(d_second, d_first, d_third, d_second, bytes, stream); // @batch
#endif
	CHECK(cudaMemcpyAsync(h_back, d_third, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
#ifdef FIXED
	verify(h_back, 0, N);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_first));
	CHECK(cudaFree(d_second));
	CHECK(cudaFree(d_third));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
