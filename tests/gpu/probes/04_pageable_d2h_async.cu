// Probe 4 (C-A2): does a pageable async D2H return before earlier work is done?
#include "probe.h"

int main()
{
	size_t sizes[] = {4, 4096, 65536, 1 << 20, 64 << 20};
	cudaStream_t stream;
	char *device, text[96];
	Hold hold;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&device, 64 << 20));
	for (size_t bytes : sizes) {
		std::vector<char> host(bytes, 1);

		hold.start(stream);
		double ms = timed_ms(hold, [&] {
			CHECK(cudaMemcpyAsync(host.data(), device, bytes, cudaMemcpyDeviceToHost,
					      stream));
		});
		snprintf(text, sizeof(text), "pageable async D2H of %zu bytes in a busy stream",
			 bytes);
		fact_timed(text, ms);
		CHECK(cudaStreamSynchronize(stream));
	}
	return 0;
}
