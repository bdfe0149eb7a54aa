// More warnings than are printed while a program runs, each of a pair of lines of its own; then, at
// the first line on standard input, an error.
#include "testcases/common.h"

#define SETS	 13
#define FREES	 10
#define ELEMENTS 1024

static cudaStream_t stream;

// The call of one line of each of two tables, so that each pair of lines is a warning of its own.
#define SET(n)                                                     \
	case n:                                                    \
		CHECK(cudaMemsetAsync(data, 0, ELEMENTS, stream)); \
		break;
#define FREE(n) \
	case n: CHECK(cudaFree(data)); break;

static void free_at_once(int set, int free)
{
	void *data = on_device(ELEMENTS);

	switch (set) {
		SET(0)
		SET(1)
		SET(2)
		SET(3)
		SET(4)
		SET(5)
		SET(6)
		SET(7)
		SET(8)
		SET(9)
		SET(10)
		SET(11)
		SET(12)
	}
	switch (free) {
		FREE(0)
		FREE(1)
		FREE(2)
		FREE(3)
		FREE(4)
		FREE(5)
		FREE(6)
		FREE(7)
		FREE(8)
		FREE(9)
	}
}

int main()
{
	float *h_data = pinned(ELEMENTS * sizeof(float)),
	      *d_data = on_device(ELEMENTS * sizeof(float));
	char line[256];

	CHECK(cudaStreamCreate(&stream));
	for (int i = 0; i < SETS * FREES; i++)
		free_at_once(i % SETS, i / SETS);
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
