// Probe 21 (S-4): does a sync, query or event of an idle blocking stream cover a legacy op?
#include "probe.h"

int main()
{
	cudaStream_t idle;
	cudaEvent_t event;
	Hold hold;

	CHECK(cudaStreamCreate(&idle));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	hold.start(cudaStreamLegacy);
	fact("cudaStreamQuery of an idle blocking stream after a legacy op",
	     cudaStreamQuery(idle) == cudaSuccess ? "success (does not cover it)"
						  : "not ready (covers it)");
	double ms = timed_ms(hold, [&] { CHECK(cudaStreamSynchronize(idle)); });
	fact_timed("cudaStreamSynchronize of an idle blocking stream after a legacy op", ms);
	CHECK(cudaDeviceSynchronize());
	hold.start(cudaStreamLegacy);
	CHECK(cudaEventRecord(event, idle));
	ms = timed_ms(hold, [&] { CHECK(cudaEventSynchronize(event)); });
	fact_timed("sync of an event recorded in that stream after a legacy op", ms);
	CHECK(cudaDeviceSynchronize());
	return 0;
}
