// A graph owns the table that it copies to the device; the table is freed when nothing holds it any
// more, which the destructor does without a call of CUDA. A recapture makes the graph give it back,
// while a copy in a stream still reads it. FIXED: an executable graph that was made before holds
// the table until its launches are over.
// expect: SC-104 at=free possible doubt=handed_over order=none
// expect[FIXED]: clean
#include <semaphore.h>
#include "testcases/recapture.h"

static const size_t bytes = 1 << 20;
static sem_t destroyed;

static void destroy(void *table)
{
	free(table); // @free
	sem_post(&destroyed);
}

static void copy(float *d_data, const float *table, cudaStream_t stream)
{
	CHECK(cudaMemcpyAsync(d_data, table, bytes, cudaMemcpyHostToDevice, stream));
}

static cudaGraph_t capture(float *d_data, float *table, cudaStream_t stream)
{
	cudaUserObject_t object;
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	copy(d_data, table, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaUserObjectCreate(&object, table, destroy, 1, cudaUserObjectNoDestructorSync));
	CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
	return graph;
}

int main()
{
	float *d_data = on_device(bytes), *table = (float *)calloc(1, bytes);
	cudaStream_t stream, other;
#ifdef FIXED
	cudaGraphExec_t exec;
#endif
	cudaGraph_t graph, again;

	sem_init(&destroyed, 0, 0);
	CHECK(cudaHostRegister(table, bytes, cudaHostRegisterDefault));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&other));
	graph = capture(d_data, table, stream);
#ifdef FIXED
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
#else
	copy(d_data, table, stream);
#endif
	recapture(other, graph);
	copy(d_data, table, other);
	CHECK(cudaStreamEndCapture(other, &again));
#ifdef FIXED
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaStreamSynchronize(stream));
#endif
	while (sem_wait(&destroyed))
		;
#ifndef FIXED
	CHECK(cudaStreamSynchronize(stream));
#endif
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaFree(d_data));
	return 0;
}
