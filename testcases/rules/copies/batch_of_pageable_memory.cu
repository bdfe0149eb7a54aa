// A batch of copies reads a malloc'ed source in the order of the stream, and the source is freed
// without a wait; or its malloc'ed result is sent on without one (-DRESULT). A source that is read
// before the call returns (-DAT_ONCE), or a wait (-DFIXED), makes it correct.
// expect: SC-104 at=free proven order=none
// expect[RESULT]: SC-101 at=use proven order=none
// expect[AT_ONCE]: clean
// expect[FIXED]: clean
#include "testcases/common.h"

#if defined(AT_ONCE)
#define ORDER cudaMemcpySrcAccessOrderDuringApiCall
#else
#define ORDER cudaMemcpySrcAccessOrderStream
#endif

static void copy_in_batch(void *to, const void *from, size_t bytes, cudaStream_t stream)
{
	struct cudaMemcpyAttributes attributes = {};
	void *dsts[] = {to};
	const void *srcs[] = {from};
	size_t sizes[] = {bytes}, first = 0;

	attributes.srcAccessOrder = ORDER;
	CHECK(cudaMemcpyBatchAsync(dsts, srcs, sizes, 1, &attributes, &first, 1, stream));
}

int main()
{
	const int N = 1 << 12;
	const size_t bytes = N * sizeof(float);
	float *h_data = (float *)malloc(bytes);
	float *d_data = on_device(bytes), *d_next = on_device(bytes);
	cudaStream_t stream;

	fill(h_data, 3, N);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
#ifdef RESULT
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	copy_in_batch(h_data, d_data, bytes, stream);
	CHECK(cudaMemcpy(d_next, h_data, bytes, cudaMemcpyHostToDevice)); // @use
	CHECK(cudaDeviceSynchronize());
	free(h_data);
#else
	copy_in_batch(d_data, h_data, bytes, stream);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	free(h_data); // @free
	CHECK(cudaMemsetAsync(d_next, 0, bytes, stream));
	CHECK(cudaDeviceSynchronize());
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(d_next));
	return 0;
}
