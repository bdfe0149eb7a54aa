// A graph owns a buffer of the device, which the program frees when its destructor has run. A
// recapture makes the graph give back what it owns, and so does the executable graph that is
// updated from it: the next launch copies from memory that was freed. FIXED: the program keeps a
// reference of its own, and the graph gets one again after the recapture.
// expect: SC-136 at=copy proven
// expect[FIXED]: clean
#include <semaphore.h>
#include "testcases/recapture.h"

static const size_t bytes = 1 << 16;
static sem_t destroyed;

// It may not call CUDA itself.
static void destroy(void *)
{
	sem_post(&destroyed);
}

static void free_when_destroyed(float *d_table)
{
	while (sem_wait(&destroyed))
		;
	CHECK(cudaFree(d_table));
}

static void enqueue(float *d_data, const float *d_table, cudaStream_t stream)
{
	CHECK(cudaMemcpyAsync(d_data, d_table, bytes, cudaMemcpyDeviceToDevice, stream)); // @copy
}

int main()
{
	float *d_data = on_device(bytes), *d_table = on_device(bytes);
	cudaGraphExecUpdateResultInfo info;
	cudaUserObject_t object;
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph, again;

	sem_init(&destroyed, 0, 0);
	CHECK(cudaMemset(d_table, 0, bytes));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	enqueue(d_data, d_table, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaUserObjectCreate(&object, d_table, destroy, 1, cudaUserObjectNoDestructorSync));
	CHECK(cudaGraphRetainUserObject(graph, object, 1, 0));
#ifndef FIXED
	CHECK(cudaUserObjectRelease(object, 1));
#endif
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	recapture(stream, graph);
	enqueue(d_data, d_table, stream);
	CHECK(cudaStreamEndCapture(stream, &again));
#ifdef FIXED
	CHECK(cudaGraphRetainUserObject(graph, object, 1, 0));
	CHECK(cudaUserObjectRelease(object, 1));
#endif
	CHECK(cudaGraphExecUpdate(exec, graph, &info));
#ifndef FIXED
	free_when_destroyed(d_table);
	// What the driver says of a dead address, and of calls after it, is not the point.
	cudaGraphLaunch(exec, stream);
	cudaMemsetAsync(d_data, 1, bytes, stream);
	cudaStreamSynchronize(stream);
#else
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	free_when_destroyed(d_table);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
#endif
	return 0;
}
