// One batch copies a buffer and copies the copy: the copies of a batch have no order among them.
// expect: SC-118 at=batch proven
// expect[FIXED]: clean
// expect[BOXES]: SC-118 at=boxes proven
// expect[BOXES_APART]: clean
#include "testcases/common.h"

#if defined(BOXES) || defined(BOXES_APART)
// The left half of each row, and what begins `column` bytes into the row.
static void copy_boxes(float *dst, float *src, size_t row, size_t rows, size_t column,
		       cudaStream_t stream)
{
	struct cudaMemcpy3DBatchOp boxes[2] = {};

	for (int i = 0; i < 2; i++) {
		boxes[i].src.type = boxes[i].dst.type = cudaMemcpyOperandTypePointer;
		boxes[i].src.op.ptr.ptr = (char *)src + i * column;
		boxes[i].dst.op.ptr.ptr = (char *)dst + i * column;
		boxes[i].src.op.ptr.rowLength = boxes[i].dst.op.ptr.rowLength = row;
		boxes[i].extent = make_cudaExtent(row / 2, rows, 1);
		boxes[i].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	}
	CHECK(cudaMemcpy3DBatchAsync(2, boxes, 0, stream)); // @boxes
}
#else
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
#endif

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
#ifdef BOXES
	copy_boxes(d_third, d_first, 256, bytes / 256, 64, stream);
#elif defined(BOXES_APART)
	copy_boxes(d_third, d_first, 256, bytes / 256, 128, stream);
#elif defined(FIXED)
	copy_batch(d_second, d_first, NULL, NULL, bytes, stream);
	copy_batch(d_third, d_second, NULL, NULL, bytes, stream);
#else
	copy_batch(d_second, d_first, d_third, d_second, bytes, stream); // @batch
#endif
	CHECK(cudaMemcpyAsync(h_back, d_third, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
#if defined(FIXED) || defined(BOXES_APART)
	verify(h_back, 0, N);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_first));
	CHECK(cudaFree(d_second));
	CHECK(cudaFree(d_third));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
