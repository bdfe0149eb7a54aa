// Probe 11 (C-S6): is a sync-named peer copy ordered with non-blocking streams of both devices?
#include "probe.h"

int main()
{
	cudaStream_t streams[2];
	char *memory[2], text[96];
	int count = 0;
	Hold hold;

	CHECK(cudaGetDeviceCount(&count));
	if (count < 2) {
		printf("skip: needs two devices\n");
		return 77;
	}
	for (int d = 0; d < 2; d++) {
		CHECK(cudaSetDevice(d));
		CHECK(cudaMalloc(&memory[d], 4096));
		CHECK(cudaStreamCreateWithFlags(&streams[d], cudaStreamNonBlocking));
	}
	CHECK(cudaSetDevice(0));
	CHECK(cudaMemcpyPeer(memory[1], 1, memory[0], 0, 4096));
	CHECK(cudaDeviceSynchronize());
	for (int d = 0; d < 2; d++) {
		CHECK(cudaSetDevice(d));
		hold.start(streams[d]);
		CHECK(cudaSetDevice(0));
		double ms = timed_ms(
			hold, [&] { CHECK(cudaMemcpyPeer(memory[1], 1, memory[0], 0, 4096)); });
		snprintf(text, sizeof(text),
			 "cudaMemcpyPeer call while a non-blocking stream of the %s is busy",
			 d ? "target" : "source");
		fact_timed(text, ms);
		for (int e = 0; e < 2; e++) {
			CHECK(cudaSetDevice(e));
			CHECK(cudaDeviceSynchronize());
		}
		CHECK(cudaSetDevice(d));
		hold.start(streams[d]);
		CHECK(cudaSetDevice(0));
		CHECK(cudaMemcpyPeer(memory[1], 1, memory[0], 0, 4096));
		ms = timed_ms(hold, [&] { CHECK(cudaStreamSynchronize(cudaStreamLegacy)); });
		snprintf(text, sizeof(text),
			 "its default stream's sync while a non-blocking stream of the %s is busy",
			 d ? "target" : "source");
		fact_timed(text, ms);
		for (int e = 0; e < 2; e++) {
			CHECK(cudaSetDevice(e));
			CHECK(cudaDeviceSynchronize());
		}
	}
	return 0;
}
