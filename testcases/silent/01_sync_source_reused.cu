// The source of a synchronous copy is changed and freed right after the call; so is the result of
// a copy between host buffers. (15.5 item 1)
// expect: clean
#include "testcases/common.h"

int main()
{
	const int N = 1 << 12;
	const size_t bytes = N * sizeof(float);
	float *h_source = (float *)malloc(bytes), *h_other = (float *)malloc(bytes);
	float *h_back = pinned(bytes);
	float *d_data = on_device(bytes);

	fill(h_source, 1, N);
	CHECK(cudaMemcpy(d_data, h_source, bytes, cudaMemcpyHostToDevice));
	fill(h_source, 2, N);
	CHECK(cudaMemcpy(h_other, h_source, bytes, cudaMemcpyHostToHost));
	free(h_source);
	fill(h_other, 3, N);
	free(h_other);
	CHECK(cudaMemcpy(h_back, d_data, bytes, cudaMemcpyDeviceToHost));
	verify(h_back, 1, N);
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
