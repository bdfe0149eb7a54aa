// A bandwidth test as there are many: each way and each size is a function of its own, which copies
// in four streams and takes the time in the first of them. It then uses what the other three still
// work on: three findings for each function, all at other call sites.
#include "testcases/common.h"
#include <utility>

constexpr int SIZES = 84, STREAMS = 4;
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

template <int Size> __attribute__((noinline)) float to_host()
{
	const size_t bytes = 1024 + Size * 512;
	float sum;

	CHECK(cudaEventRecord(begin, streams[0]));
	CHECK(cudaMemcpyAsync(host[0], device[0], bytes, cudaMemcpyDeviceToHost, streams[0]));
	CHECK(cudaMemcpyAsync(host[1], device[1], bytes, cudaMemcpyDeviceToHost, streams[1]));
	CHECK(cudaMemcpyAsync(host[2], device[2], bytes, cudaMemcpyDeviceToHost, streams[2]));
	CHECK(cudaMemcpyAsync(host[3], device[3], bytes, cudaMemcpyDeviceToHost, streams[3]));
	sum = seconds() + host[0][0];
	sum += host[1][0];
	sum += host[2][0];
	sum += host[3][0];
	CHECK(cudaDeviceSynchronize());
	return sum;
}

template <int Size> __attribute__((noinline)) float to_device()
{
	const size_t bytes = 1024 + Size * 512;
	float time;

	CHECK(cudaEventRecord(begin, streams[0]));
	CHECK(cudaMemcpyAsync(device[0], host[0], bytes, cudaMemcpyHostToDevice, streams[0]));
	CHECK(cudaMemcpyAsync(device[1], host[1], bytes, cudaMemcpyHostToDevice, streams[1]));
	CHECK(cudaMemcpyAsync(device[2], host[2], bytes, cudaMemcpyHostToDevice, streams[2]));
	CHECK(cudaMemcpyAsync(device[3], host[3], bytes, cudaMemcpyHostToDevice, streams[3]));
	time = seconds();
	host[1][0] = Size;
	host[2][0] = Size;
	host[3][0] = Size;
	CHECK(cudaDeviceSynchronize());
	return time;
}

template <int Size> __attribute__((noinline)) float on_the_device()
{
	const size_t bytes = 1024 + Size * 512;
	float time;

	CHECK(cudaEventRecord(begin, streams[0]));
	CHECK(cudaMemcpyAsync(device[1], device[0], bytes, cudaMemcpyDeviceToDevice, streams[1]));
	CHECK(cudaMemcpyAsync(device[2], device[0], bytes, cudaMemcpyDeviceToDevice, streams[2]));
	CHECK(cudaMemcpyAsync(device[3], device[0], bytes, cudaMemcpyDeviceToDevice, streams[3]));
	time = seconds();
	CHECK(cudaMemsetAsync(device[1], 0, bytes, streams[0]));
	CHECK(cudaMemsetAsync(device[2], 0, bytes, streams[0]));
	CHECK(cudaMemsetAsync(device[3], 0, bytes, streams[0]));
	CHECK(cudaDeviceSynchronize());
	return time;
}

template <int Size> __attribute__((noinline)) float both_ways()
{
	const size_t bytes = 1024 + Size * 512;
	float time;

	CHECK(cudaEventRecord(begin, streams[0]));
	CHECK(cudaMemcpyAsync(device[1], host[1], bytes, cudaMemcpyHostToDevice, streams[1]));
	CHECK(cudaMemcpyAsync(device[2], host[2], bytes, cudaMemcpyHostToDevice, streams[2]));
	CHECK(cudaMemcpyAsync(device[3], host[3], bytes, cudaMemcpyHostToDevice, streams[3]));
	time = seconds();
	CHECK(cudaMemcpyAsync(host[0], device[1], bytes, cudaMemcpyDeviceToHost, streams[0]));
	CHECK(cudaMemcpyAsync(host[0], device[2], bytes, cudaMemcpyDeviceToHost, streams[0]));
	CHECK(cudaMemcpyAsync(host[0], device[3], bytes, cudaMemcpyDeviceToHost, streams[0]));
	CHECK(cudaDeviceSynchronize());
	return time;
}

template <int... Size> static float all_sizes(std::integer_sequence<int, Size...>)
{
	return ((to_host<Size>() + to_device<Size>() + on_the_device<Size>() + both_ways<Size>()) +
		...);
}

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
	return all_sizes(std::make_integer_sequence<int, SIZES>()) < 0;
}
