// Probe 3 (C-A1): pageable async H2D in a busy stream: when does it return, when is the source
// read?
#include "probe.h"

int main()
{
	size_t sizes[] = {4, 4096, 32768, 65536, 65537, 1 << 20, 64 << 20};
	cudaStream_t stream;
	char *device, text[96];
	Hold hold;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&device, 64 << 20));
	for (size_t bytes : sizes) {
		std::vector<char> host(bytes, 1);
		char seen = 0;

		hold.start(stream);
		double ms = timed_ms(hold, [&] {
			CHECK(cudaMemcpyAsync(device, host.data(), bytes, cudaMemcpyHostToDevice,
					      stream));
			memset(host.data(), 2, bytes);
		});
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaMemcpy(&seen, device + bytes - 1, 1, cudaMemcpyDeviceToHost));
		snprintf(text, sizeof(text), "pageable async H2D of %zu bytes in a busy stream",
			 bytes);
		fact_timed(text, ms);
		snprintf(text, sizeof(text),
			 "source overwritten right after it, %zu bytes: device has", bytes);
		fact(text, seen == 1 ? "the old data" : "the NEW data");
	}
	return 0;
}
