// Probe 2 (C-S1): does a synchronous pageable copy wait, and is the data there when it returns?
#include "probe.h"

static __global__ void count_wrong(const int *data, int n, int expected, int *wrong)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		if (data[i] != expected)
			atomicAdd(wrong, 1);
}

int main()
{
	size_t sizes[] = {4, 65536, 1 << 20, 16 << 20};
	cudaStream_t blocking, other;
	char text[96];
	int *device, *wrong;
	Hold hold;

	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&device, 16 << 20));
	CHECK(cudaMallocHost(&wrong, sizeof(int)));
	for (size_t bytes : sizes) {
		std::vector<int> host(bytes / sizeof(int));

		CHECK(cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice));
		hold.start(blocking);
		double ms = timed_ms(hold, [&] {
			CHECK(cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice));
		});
		snprintf(text, sizeof(text),
			 "pageable H2D cudaMemcpy of %zu bytes with a busy blocking stream", bytes);
		fact_timed(text, ms);
		CHECK(cudaDeviceSynchronize());

		int stale = 0;
		for (int round = 1; round <= 300; round++) {
			for (int &word : host)
				word = round;
			*wrong = 0;
			CHECK(cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice));
			count_wrong<<<1, 256, 0, other>>>(device, (int)host.size(), round, wrong);
			CHECK(cudaStreamSynchronize(other));
			stale += *wrong != 0;
			CHECK(cudaDeviceSynchronize());
			if (bytes >= (16 << 20) && round >= 60)
				break;
		}
		snprintf(text, sizeof(text),
			 "stale reads by a non-blocking stream after it, %zu bytes", bytes);
		printf("fact: %s = %d\n", text, stale);
	}
	return 0;
}
