// Probe 1 (C-S2 note 1): does a synchronous copy from pinned memory wait, by size?
#include "probe.h"

int main()
{
	size_t sizes[] = {4, 4096, 65536, 65537, 1 << 20};
	cudaStream_t blocking;
	char *pinned, *device, text[96];
	Hold hold;

	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaMallocHost(&pinned, 1 << 20));
	CHECK(cudaMalloc(&device, 1 << 20));
	CHECK(cudaMemcpy(device, pinned, 1 << 20, cudaMemcpyHostToDevice));
	for (size_t bytes : sizes) {
		hold.start(blocking);
		double ms = timed_ms(hold, [&] {
			CHECK(cudaMemcpy(device, pinned, bytes, cudaMemcpyHostToDevice));
		});
		snprintf(text, sizeof(text),
			 "pinned H2D cudaMemcpy of %zu bytes with a busy blocking stream", bytes);
		fact_timed(text, ms);
		CHECK(cudaDeviceSynchronize());
	}
	return 0;
}
