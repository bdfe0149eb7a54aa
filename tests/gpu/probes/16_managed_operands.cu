// Probe 16 (4.5): do sync-named copies and memsets wait when an operand is managed?
#include "probe.h"

int main()
{
	cudaStream_t blocking;
	char *managed, *device;
	Hold hold;

	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaMallocManaged(&managed, 1 << 20));
	CHECK(cudaMalloc(&device, 1 << 20));
	memset(managed, 1, 1 << 20);
	std::vector<char> heap(1 << 20);
	auto one = [&](const char *name, auto call) {
		hold.start(blocking);
		double ms = timed_ms(hold, call);
		fact_timed(name, ms);
		CHECK(cudaDeviceSynchronize());
	};
	one("cudaMemset of managed memory", [&] { CHECK(cudaMemset(managed, 0, 1 << 20)); });
	one("cudaMemset of device memory", [&] { CHECK(cudaMemset(device, 0, 1 << 20)); });
	one("cudaMemcpy device to managed",
	    [&] { CHECK(cudaMemcpy(managed, device, 1 << 20, cudaMemcpyDefault)); });
	one("cudaMemcpy managed to device",
	    [&] { CHECK(cudaMemcpy(device, managed, 1 << 20, cudaMemcpyDefault)); });
	one("cudaMemcpy pageable to managed",
	    [&] { CHECK(cudaMemcpy(managed, heap.data(), 1 << 20, cudaMemcpyDefault)); });
	one("cudaMemcpy managed to pageable",
	    [&] { CHECK(cudaMemcpy(heap.data(), managed, 1 << 20, cudaMemcpyDefault)); });
	one("cudaMemcpy device to device",
	    [&] { CHECK(cudaMemcpy(device, device + (1 << 19), 1 << 19, cudaMemcpyDefault)); });
	return 0;
}
