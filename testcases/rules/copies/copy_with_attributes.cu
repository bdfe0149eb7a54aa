// A copy may read its source out of the order of its stream, which alone orders what fills it.
// expect: SC-139 at=copy proven order=none
// expect[REFILLED]: SC-102 at=refill proven order=none
// expect[BOX]: SC-139 at=copy_box proven order=none
// expect[FIXED]: clean
// expect[DURING]: clean
#include "testcases/newer.h"

typedef cudaError_t newer_cudaMemcpyWithAttributesAsync(void *, const void *, size_t,
							struct cudaMemcpyAttributes *,
							cudaStream_t);
typedef cudaError_t newer_cudaMemcpy3DWithAttributesAsync(struct cudaMemcpy3DBatchOp *,
							  unsigned long long, cudaStream_t);

#ifdef FIXED
#define ORDER cudaMemcpySrcAccessOrderStream
#elif defined(DURING)
#define ORDER cudaMemcpySrcAccessOrderDuringApiCall
#else
#define ORDER cudaMemcpySrcAccessOrderAny
#endif

// One row of bytes as a box.
static void copy_box(float *d_to, float *d_from, size_t bytes, cudaStream_t stream)
{
	struct cudaMemcpy3DBatchOp box = {};

	box.src.type = box.dst.type = cudaMemcpyOperandTypePointer;
	box.src.op.ptr.ptr = d_from;
	box.dst.op.ptr.ptr = d_to;
	box.extent = make_cudaExtent(bytes, 1, 1);
	box.srcAccessOrder = ORDER;
	CHECK(NEWER(cudaMemcpy3DWithAttributesAsync)(&box, 0, stream)); // @copy_box
}

static void copy(void *to, const void *from, size_t bytes, cudaStream_t stream)
{
	struct cudaMemcpyAttributes attributes = {};

	attributes.srcAccessOrder = ORDER;
	CHECK(NEWER(cudaMemcpyWithAttributesAsync)(to, from, bytes, &attributes, stream)); // @copy
}

int main()
{
	const int N = 1 << 12;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *h_back = pinned(bytes);
	float *d_first = on_device(bytes), *d_second = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_first, 0, bytes, stream));
#if defined(REFILLED) || defined(DURING)
	memset(h_data, 0, bytes);
	copy(d_second, h_data, bytes, stream);
	h_data[1] = 1; // @refill
#elif defined(BOX)
	copy_box(d_second, d_first, bytes, stream);
#else
	copy(d_second, d_first, bytes, stream);
#endif
	CHECK(cudaMemcpyAsync(h_back, d_second, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
#if defined(FIXED) || defined(DURING)
	verify(h_back, 0, N);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_first));
	CHECK(cudaFree(d_second));
	CHECK(cudaFreeHost(h_back));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
