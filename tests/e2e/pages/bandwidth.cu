// A bandwidth test as there are many: each way and each size is a function of its own (ways.in),
// which copies in four streams and takes the time in the first of them. It then uses what the other
// three still work on: three findings for each function, all of other lines.
#include "testcases/common.h"

constexpr int STREAMS = 4;
constexpr size_t MOST = 64 << 10;

static cudaStream_t streams[STREAMS];
static float *host[STREAMS], *device[STREAMS];
static cudaEvent_t begin, end;

static float seconds()
{
	float ms = 0;

	CHECK(cudaEventRecord(end, streams[0]));
	CHECK(cudaEventSynchronize(end)); // waits for the first stream only
	CHECK(cudaEventElapsedTime(&ms, begin, end));
	return ms / 1000;
}

#include "ways.inc"

int main()
{
	for (int i = 0; i < STREAMS; i++) {
		host[i] = pinned(MOST);
		device[i] = on_device(MOST);
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
		CHECK(cudaMemsetAsync(device[i], 0, MOST, streams[i]));
	}
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaEventCreate(&begin));
	CHECK(cudaEventCreate(&end));
	return all_sizes() < 0;
}
