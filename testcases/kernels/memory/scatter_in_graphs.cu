// Two graphs in two streams, launched three times each, write to places of one buffer that they
// load from memory. In the plain build both write the even ones; APART: even and odd ones; LATE:
// the same ones in the third launch only.
// expect: SC-105 at=second proven order=no_event when=executed
// expect: SC-105|SC-209 at=second possible doubt=footprint when=unexecuted
// expect[APART]: SC-105|SC-209 at=second possible doubt=footprint when=unexecuted
// expect[LATE]: SC-105 at=second proven order=no_event when=executed
// expect[LATE]: SC-105|SC-209 at=second possible doubt=footprint when=unexecuted
// expect[FIXED]: clean
#include "testcases/common.h"

#define COUNT  3000
#define BLOCK  256
#define GRID   ((COUNT + BLOCK - 1) / BLOCK)
#define ROUNDS 3

__global__ void choose(int *places, const int *first)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;

	if (i < COUNT)
		places[i] = i * 7 % COUNT * 2 + *first;
}

__global__ void scatter(float *to, const int *places)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;

	if (i < COUNT)
		to[places[i]] = i;
}

// Which places the second graph takes in a round; the first one takes the even ones.
static int first_place(int round)
{
#ifdef APART
	return 1;
#elif defined(LATE)
	return round < ROUNDS - 1;
#else
	return 0;
#endif
}

static cudaGraphExec_t new_graph(float *to, int *places, int *first)
{
	cudaStream_t stream;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	choose<<<GRID, BLOCK, 0, stream>>>(places, first);
	scatter<<<GRID, BLOCK, 0, stream>>>(to, places); // @second
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	return exec;
}

int main()
{
	float *to = on_device(2 * COUNT * sizeof(float));
	int *places[2], *first = (int *)on_device(2 * 64);
	cudaGraphExec_t execs[2];
	cudaStream_t streams[2];

	for (int i = 0; i < 2; i++) {
		places[i] = (int *)on_device(COUNT * sizeof(int));
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
		execs[i] = new_graph(to, places[i], first + i * 16);
	}
	for (int round = 0; round < ROUNDS; round++) {
		CHECK(cudaMemsetAsync(first, 0, sizeof(int), streams[0]));
		CHECK(cudaMemsetAsync(first + 16, 0, sizeof(int), streams[1]));
		CHECK(cudaMemsetAsync(first + 16, first_place(round), 1, streams[1]));
		CHECK(cudaGraphLaunch(execs[0], streams[0]));
#ifdef FIXED
		CHECK(cudaStreamSynchronize(streams[0]));
#endif
		CHECK(cudaGraphLaunch(execs[1], streams[1]));
		CHECK(cudaDeviceSynchronize());
	}
	for (int i = 0; i < 2; i++) {
		CHECK(cudaGraphExecDestroy(execs[i]));
		CHECK(cudaStreamDestroy(streams[i]));
		CHECK(cudaFree(places[i]));
	}
	CHECK(cudaFree(to));
	CHECK(cudaFree(first));
	return 0;
}
