// A graph owns a table of the host and frees it when nothing holds it any more: the destructor runs
// on a thread of the driver, after the last launch. CALLS: it calls CUDA, which it must not.
// expect: clean
// expect[CALLS]: SC-122 at=call proven
#include <semaphore.h>
#include "testcases/common.h"

static const size_t bytes = 4096;

struct Table {
	float *d_data;
};

static sem_t destroyed;

static void destroy(void *data)
{
	Table *table = (Table *)data;

#ifdef CALLS
	(void)cudaFree(table->d_data); // @call
#endif
	delete table;
	sem_post(&destroyed);
}

int main()
{
	float *d_data = on_device(bytes);
	Table *table = new Table();
	cudaUserObject_t object;
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph;

	sem_init(&destroyed, 0, 0);
	table->d_data = d_data;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemsetAsync(d_data, 0, bytes, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaUserObjectCreate(&object, table, destroy, 1, cudaUserObjectNoDestructorSync));
	CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaStreamSynchronize(stream));
	while (sem_wait(&destroyed))
		;
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	return 0;
}
