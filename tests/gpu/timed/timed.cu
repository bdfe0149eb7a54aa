// Work of known length: each piece is timed by two events around it and printed, in milliseconds.
//
// The order of the lines is the order of the work, all in one stream.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define ROUNDS 4
#define BYTES  (size_t(256) << 20)

#define CHECK(call)                                                                   \
	do {                                                                          \
		cudaError_t check_ = (call);                                          \
		if (check_ != cudaSuccess) {                                          \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorName(check_)); \
			exit(1);                                                      \
		}                                                                     \
	} while (0)

static __global__ void spin(unsigned long long wanted_ns)
{
	unsigned long long start, now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	do
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	while (now - start < wanted_ns);
}

static cudaStream_t stream;
static cudaEvent_t before, after;

template <typename Work> static void timed(const char *engine, Work work)
{
	float ms;

	/* so that all three are there when the device comes to them */
	spin<<<1, 1, 0, stream>>>(300000);
	printf("kernel -\n");
	CHECK(cudaEventRecord(before, stream));
	work();
	CHECK(cudaEventRecord(after, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaEventElapsedTime(&ms, before, after));
	printf("%s %.6f\n", engine, ms);
}

int main()
{
	char *host, *device, *other;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&before));
	CHECK(cudaEventCreate(&after));
	CHECK(cudaMallocHost(&host, BYTES));
	CHECK(cudaMalloc(&device, 2 * BYTES));
	other = device + BYTES;
	spin<<<1, 1, 0, stream>>>(1000);
	CHECK(cudaStreamSynchronize(stream));
	for (int i = 0; i < ROUNDS; i++) {
		timed("kernel", [&] { spin<<<1, 1, 0, stream>>>(2000000ull * (i + 1)); });
		timed("copy_in", [&] {
			CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
		});
		timed("copy_out", [&] {
			CHECK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, stream));
		});
		timed("kernel", [&] { spin<<<1, 1, 0, stream>>>(500000ull * (i + 1)); });
	}
	for (int i = 0; i < ROUNDS; i++)
		CHECK(cudaMemcpyAsync(other, device, BYTES, cudaMemcpyDeviceToDevice, stream));
	CHECK(cudaStreamSynchronize(stream));
	return 0;
}
