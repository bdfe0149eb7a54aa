// Probe 15 (G-13): does a relaunch with AUTO_FREE wait for a consumer in another stream?
#include "probe.h"

int main()
{
	cudaStream_t stream, consumer;
	cudaEvent_t ready;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	char *memory;
	Hold hold;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&ready));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	CHECK(cudaMallocAsync(&memory, 1 << 20, stream));
	CHECK(cudaMemsetAsync(memory, 1, 1 << 20, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaEventRecord(ready, stream));
	CHECK(cudaStreamWaitEvent(consumer, ready));
	hold.start(consumer);
	double ms = timed_ms(hold, [&] {
		CHECK(cudaGraphLaunch(exec, stream));
		CHECK(cudaStreamSynchronize(stream));
	});
	fact_timed("relaunch with AUTO_FREE and its sync, a consumer in another stream busy", ms);
	CHECK(cudaDeviceSynchronize());
	return 0;
}
