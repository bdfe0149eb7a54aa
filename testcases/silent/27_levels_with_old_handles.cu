// Mipmapped arrays one after the other, of other sizes, whose levels may have the handles of levels
// that are gone. Two streams fill the halves of each level, side by side in its rows.
// expect: clean
#include "testcases/compute.h"

static const int ROUNDS = 8;

static void fill_half(cudaArray_t level, int half, unsigned size, const float *host,
		      cudaStream_t stream)
{
	size_t width = size / 2 * sizeof(float);

	CHECK(cudaMemcpy2DToArrayAsync(level, half * width, 0, host, width, width, size,
				       cudaMemcpyHostToDevice, stream));
}

int main()
{
	float *host = host_array<float>(64 * 64);
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaStream_t streams[2];

	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
	for (int i = 0; i < ROUNDS; i++) {
		unsigned size = 16u << i % 3;
		cudaMipmappedArray_t whole;
		cudaArray_t level;

		CHECK(cudaMallocMipmappedArray(&whole, &format, make_cudaExtent(size, size, 0), 2));
		for (unsigned l = 0; l < 2; l++) {
			CHECK(cudaGetMipmappedArrayLevel(&level, whole, l));
			fill_half(level, 0, size >> l, host, streams[0]);
			fill_half(level, 1, size >> l, host, streams[1]);
		}
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaFreeMipmappedArray(whole));
	}
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamDestroy(streams[i]));
	free_host(host);
	return 0;
}
