// A graph owns the table that it copies to the device. A recapture makes the graph give back what
// it owns; the executable graph that is updated from it does, too, the table is freed, and the next
// launch copies from there. FIXED: the program keeps a reference of its own, and the graph gets one
// again after the recapture.
// expect: SC-136 at=copy likely doubt=reused
// expect[FIXED]: clean
#include <semaphore.h>
#include "testcases/recapture.h"

static const size_t bytes = 1 << 16;
static sem_t destroyed;

static void destroy(void *table)
{
	free(table);
	sem_post(&destroyed);
}

static void enqueue(float *d_data, const float *table, cudaStream_t stream)
{
	CHECK(cudaMemcpyAsync(d_data, table, bytes, cudaMemcpyHostToDevice, stream)); // @copy
}

static void give(cudaGraph_t graph, cudaUserObject_t object)
{
	CHECK(cudaGraphRetainUserObject(graph, object, 1, 0));
}

int main()
{
	float *d_data = on_device(bytes), *table = (float *)calloc(1, bytes);
	cudaGraphExecUpdateResultInfo info;
	cudaUserObject_t object;
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph, again;

	sem_init(&destroyed, 0, 0);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	enqueue(d_data, table, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaUserObjectCreate(&object, table, destroy, 1, cudaUserObjectNoDestructorSync));
	give(graph, object);
#ifndef FIXED
	CHECK(cudaUserObjectRelease(object, 1));
#endif
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	recapture(stream, graph);
	enqueue(d_data, table, stream);
	CHECK(cudaStreamEndCapture(stream, &again));
#ifdef FIXED
	give(graph, object);
	CHECK(cudaUserObjectRelease(object, 1));
#endif
	CHECK(cudaGraphExecUpdate(exec, graph, &info));
	CHECK(cudaStreamSynchronize(stream));
#ifndef FIXED
	while (sem_wait(&destroyed))
		;
#endif
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
#ifdef FIXED
	while (sem_wait(&destroyed))
		;
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
}
