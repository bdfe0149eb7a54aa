// The host touches a matrix while a copy of some of its columns is in flight: only rows count.
// expect: SC-102 at=touch proven order=none
// expect[GAPS]: clean
// expect[VOLUME]: SC-102 at=layer proven order=none
// expect[LAYERS]: clean
// expect[FILL]: SC-101 at=read proven order=none
// expect[ARRAY]: SC-102 at=touch proven order=none
// expect[ARRAY_GAPS]: clean
// expect[FIXED]: clean
#include "testcases/common.h"

static const int width = 64, pitch = 256, rows = 32, layers = 4;

static void copy(char *d_data, char *h_data, cudaStream_t stream)
{
#if defined(FILL)
	CHECK(cudaMemset2DAsync(h_data, pitch, 1, width, rows, stream));
#elif defined(VOLUME) || defined(LAYERS)
	cudaMemcpy3DParms p = {};

	p.srcPtr = make_cudaPitchedPtr(h_data, pitch, pitch, 2 * rows);
	p.dstPtr = make_cudaPitchedPtr(d_data, pitch, pitch, 2 * rows);
	p.extent = make_cudaExtent(width, rows, layers);
	p.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3DAsync(&p, stream));
#elif defined(ARRAY) || defined(ARRAY_GAPS)
	cudaChannelFormatDesc bytes = cudaCreateChannelDesc<char>();
	cudaArray_t array; // is not freed: that may wait for the copy

	CHECK(cudaMallocArray(&array, &bytes, width, rows));
	CHECK(cudaMemcpy2DToArrayAsync(array, 0, 0, h_data, pitch, width, rows,
				       cudaMemcpyHostToDevice, stream));
	(void)d_data;
#else
	CHECK(cudaMemcpy2DAsync(d_data, pitch, h_data, pitch, width, rows, cudaMemcpyHostToDevice,
				stream));
#endif
}

int main()
{
	const size_t bytes = (size_t)pitch * 2 * rows * layers;
	char *h_data = (char *)pinned(bytes), *d_data = (char *)on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	copy(d_data, h_data, stream);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
#if defined(GAPS) || defined(ARRAY_GAPS)
	for (int i = 0; i < rows; i++)
		h_data[i * pitch + width + i] = 1;
#elif defined(VOLUME)
	h_data[(size_t)pitch * 2 * rows * 3 + 5 * pitch + 63] = 1; // @layer
#elif defined(LAYERS)
	for (int i = 0; i < layers; i++)
		h_data[((size_t)2 * rows * i + rows) * pitch] = 1;
#elif defined(FILL)
	printf("%d\n", h_data[31 * pitch + 63]); // @read
#else
	h_data[31 * pitch + 63] = 1; // @touch
#endif
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
