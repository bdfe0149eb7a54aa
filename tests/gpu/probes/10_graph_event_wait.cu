// Probe 10 (G-9): which record of an event does a graph's event-wait node use?
#include "probe.h"

int main()
{
	cudaStream_t launch, producer, early;
	cudaEvent_t event;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	Hold first, second;
	int *mark;

	CHECK(cudaStreamCreateWithFlags(&launch, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&producer, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&early, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK(cudaMallocHost(&mark, sizeof(int)));
	*mark = 0;
	CHECK(cudaEventRecord(event, early));
	CHECK(cudaStreamBeginCapture(launch, cudaStreamCaptureModeThreadLocal));
	first.enqueue(launch);
	CHECK(cudaStreamWaitEvent(launch, event, cudaEventWaitExternal));
	store<<<1, 1, 0, launch>>>(mark, 1);
	CHECK(cudaStreamEndCapture(launch, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, launch));
	second.start(producer);
	CHECK(cudaEventRecord(event, producer));
	first.release();
	std::this_thread::sleep_for(std::chrono::milliseconds(50));
	(void)cudaStreamQuery(launch);
	std::this_thread::sleep_for(std::chrono::milliseconds(20));
	fact("event-wait node, event recorded again after the launch call",
	     *(volatile int *)mark ? "uses the record at the launch call"
				   : "uses the record when it runs");
	second.release();
	CHECK(cudaDeviceSynchronize());
	return 0;
}
