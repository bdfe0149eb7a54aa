// The host waits for an event that was recorded after its copy, and then again by a launched graph
// in another stream: the wait is for the later record (E-1), and the copy may still be under way.
// expect: SC-101 cause=SC-111 at=read proven
// expect[UPDATED]: SC-101 cause=SC-111 at=read proven
// expect[SAME_STREAM]: clean
// expect[FIXED]: clean
#include "testcases/common.h"

static const size_t bytes = 1 << 16;
static volatile char sink;

static cudaGraphExec_t recording(cudaEvent_t event)
{
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	cudaEvent_t first = event;

#ifdef UPDATED
	CHECK(cudaEventCreate(&first));
#endif
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddEventRecordNode(&node, graph, NULL, 0, first));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
#ifdef UPDATED
	CHECK(cudaGraphExecEventRecordNodeSetEvent(exec, node, event));
	CHECK(cudaEventDestroy(first));
#endif
	CHECK(cudaGraphDestroy(graph));
	return exec;
}

int main()
{
	char *h_data = (char *)pinned(bytes), *d_data = (char *)on_device(bytes);
	cudaStream_t copies, launches;
	cudaGraphExec_t exec;
	cudaEvent_t event;

	CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&launches, cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&event));
	exec = recording(event);
	CHECK(cudaMemcpyAsync(h_data, d_data, bytes, cudaMemcpyDeviceToHost, copies));
	CHECK(cudaEventRecord(event, copies));
#if defined(SAME_STREAM)
	CHECK(cudaGraphLaunch(exec, copies));
#elif defined(FIXED)
	CHECK(cudaStreamWaitEvent(launches, event));
	CHECK(cudaGraphLaunch(exec, launches));
#else
	CHECK(cudaGraphLaunch(exec, launches));
#endif
	CHECK(cudaEventSynchronize(event));
	sink = h_data[bytes / 2]; // @read
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(copies));
	CHECK(cudaStreamDestroy(launches));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
