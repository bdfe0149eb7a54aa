// Two streams copy the left and the right half of the columns of one matrix: rows interleave,
// bytes do not overlap. (15.5 item 13)
// expect: clean
#include "testcases/common.h"

int main()
{
	const int width = 256, height = 128, N = width * height;
	const size_t row = width * sizeof(float), half = row / 2;
	float *h_data = pinned(N * sizeof(float)), *h_back = pinned(N * sizeof(float)), *d_data;
	cudaStream_t stream[2];
	size_t pitch;

	fill(h_data, 13, N);
	CHECK(cudaMallocPitch(&d_data, &pitch, row, height));
	for (int i = 0; i < 2; i++) {
		size_t at = i * half;

		CHECK(cudaStreamCreate(&stream[i]));
		CHECK(cudaMemcpy2DAsync((char *)d_data + at, pitch, (char *)h_data + at, row, half,
					height, cudaMemcpyHostToDevice, stream[i]));
		CHECK(cudaMemcpy2DAsync((char *)h_back + at, row, (char *)d_data + at, pitch, half,
					height, cudaMemcpyDeviceToHost, stream[i]));
	}
	for (int i = 0; i < 2; i++) {
		CHECK(cudaStreamSynchronize(stream[i]));
		CHECK(cudaStreamDestroy(stream[i]));
	}
	verify(h_back, 13, N);
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
