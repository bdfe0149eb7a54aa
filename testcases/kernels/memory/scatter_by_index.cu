// Two kernels in two streams write to places of one buffer that they load from memory: the code
// does not say which. In the plain build both write the even ones; APART: even and odd ones.
// expect: SC-105 at=second proven order=no_event when=executed
// expect: SC-105|SC-209 at=second possible doubt=footprint when=unexecuted
// expect[APART]: SC-105|SC-209 at=second possible doubt=footprint when=unexecuted
// expect[FIXED]: clean
#include "testcases/common.h"

#define COUNT 3000
#define BLOCK 256
#define GRID  ((COUNT + BLOCK - 1) / BLOCK)

__global__ void choose(int *places, int first)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;

	if (i < COUNT)
		places[i] = i * 7 % COUNT * 2 + first;
}

__global__ void scatter(float *to, const int *places)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;

	if (i < COUNT)
		to[places[i]] = i;
}

int main()
{
#ifdef APART
	int first = 1;
#else
	int first = 0;
#endif
	float *to = on_device(2 * COUNT * sizeof(float));
	int *one = (int *)on_device(COUNT * sizeof(int));
	int *other = (int *)on_device(COUNT * sizeof(int));
	cudaStream_t streams[2];

	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
	choose<<<GRID, BLOCK, 0, streams[0]>>>(one, 0);
	choose<<<GRID, BLOCK, 0, streams[1]>>>(other, first);
	scatter<<<GRID, BLOCK, 0, streams[0]>>>(to, one);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(streams[0]));
#endif
	scatter<<<GRID, BLOCK, 0, streams[1]>>>(to, other); // @second
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamDestroy(streams[i]));
	CHECK(cudaFree(to));
	CHECK(cudaFree(one));
	CHECK(cudaFree(other));
	return 0;
}
