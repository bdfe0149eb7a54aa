// A batch of 3,000 copies; the host reads what the last one writes, without a wait.
// expect: SC-101 at=read proven order=none
// expect[FIXED]: clean
#include <vector>
#include "testcases/common.h"

int main()
{
	const size_t COPIES = 3000, each = 64;
	float *h_back = pinned(COPIES * each), *d_data = on_device(COPIES * each);
	std::vector<void *> dsts;
	std::vector<const void *> srcs;
	std::vector<size_t> sizes(COPIES, each);
	struct cudaMemcpyAttributes attributes = {};
	size_t first = 0;
	cudaStream_t stream;

	for (size_t i = 0; i < COPIES; i++) {
		dsts.push_back((char *)h_back + i * each);
		srcs.push_back((char *)d_data + i * each);
	}
	attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(d_data, 0, COPIES * each, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpyBatchAsync(dsts.data(), srcs.data(), sizes.data(), COPIES, &attributes,
				   &first, 1, stream)); // @batch
#ifdef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	printf("%g\n", ((volatile float *)h_back)[COPIES * each / sizeof(float) - 1]); // @read
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
