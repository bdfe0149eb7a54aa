// More warnings than are printed while a program runs, each at a place of its own; then, at the
// first line on standard input, an error.
#include "testcases/common.h"

#define WARNINGS 130
#define ELEMENTS 1024

static cudaStream_t stream;

template <int N> static __attribute__((noinline)) void free_at_once()
{
	void *data = on_device(ELEMENTS);

	CHECK(cudaMemsetAsync(data, 0, ELEMENTS, stream));
	CHECK(cudaFree(data));
	if constexpr (N > 1)
		free_at_once<N - 1>();
}

int main()
{
	float *h_data = pinned(ELEMENTS * sizeof(float)),
	      *d_data = on_device(ELEMENTS * sizeof(float));
	char line[256];

	CHECK(cudaStreamCreate(&stream));
	free_at_once<WARNINGS>();
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		CHECK(cudaMemcpyAsync(d_data, h_data, ELEMENTS * sizeof(float),
				      cudaMemcpyHostToDevice, stream));
		h_data[0] = 1;
		CHECK(cudaStreamSynchronize(stream));
	}
	printf("ended\n");
	return 0;
}
