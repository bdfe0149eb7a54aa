/* Two races: between streams of one class, and in memory of one class inside another. Marked lines
 * are those that distinguish the objects. */
#include "tests/e2e/origins/own.h"

__global__ void fill(float *at, float with)
{
	at[blockIdx.x * blockDim.x + threadIdx.x] = with;
}

static void race(float *at, cudaStream_t a, cudaStream_t b)
{
	fill<<<BYTES / 4 / 256, 256, 0, a>>>(at, 1);
	fill<<<BYTES / 4 / 256, 256, 0, b>>>(at, 2);
	CHECK(cudaDeviceSynchronize());
}

static void race_of_workers(Worker &a, Worker &b)
{
	CHECK(cudaMemsetAsync(b.buffer.bytes, 1, BYTES, a.stream.stream));
	CHECK(cudaMemsetAsync(b.buffer.bytes, 2, BYTES, b.stream.stream));
	CHECK(cudaDeviceSynchronize());
}

int main(void)
{
	Stream up;    /* line: up */
	Stream down;  /* line: down */
	Buffer in;    /* line: in */
	Worker left;  /* line: left */
	Worker right; /* line: right */

	race(in.bytes, up.stream, down.stream);
	race_of_workers(left, right);
	return 0;
}
