// Each rank writes columns of a matrix by a copy of rows; one takes a column of the other.
// expect: SC-175 at=left proven
// expect: SC-175 at=right proven
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

#define COPY(to, from, width) \
	CHECK(cudaMemcpy2DAsync((to), ROW, (from), ROW, (width), ROWS, cudaMemcpyDeviceToDevice, s))

enum { ROWS = 64, ROW = 64 * sizeof(float), HALF = ROW / 2 };

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES), *own = on_device(BYTES);
	cudaStream_t s = stream();
#ifdef FIXED
	const size_t width = HALF;
#else
	const size_t width = HALF + sizeof(float);
#endif

	if (r.rank == 0)
		COPY(data, own, width); // @left
	else
		COPY((char *)data + HALF, own, HALF); // @right
	return end_shared(r, data);
}
