// Probe 22 (E-4): does a stream sync wait for an event that the stream waits for, with no other op?
#include "probe.h"

int main()
{
	cudaStream_t busy, waiting;
	cudaEvent_t event;
	Hold hold;

	CHECK(cudaStreamCreateWithFlags(&busy, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	hold.start(busy);
	CHECK(cudaEventRecord(event, busy));
	CHECK(cudaStreamWaitEvent(waiting, event));
	double ms = timed_ms(hold, [&] { CHECK(cudaStreamSynchronize(waiting)); });
	fact_timed("sync of a stream that only waits for a pending event", ms);
	CHECK(cudaDeviceSynchronize());
	return 0;
}
