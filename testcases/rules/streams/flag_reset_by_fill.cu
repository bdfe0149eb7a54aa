// A consumer waits in its stream for a flag in memory, uses the data, and resets the flag with a
// fill. From the second round on it is enqueued before the producer. Nothing is wrong with the
// data; that the wait comes before its producer, and that only memory orders them, is reported.
// expect: SC-217 at=write proven
// expect: SC-106 at=fill possible doubt=unseen_signal
// expect: SC-105 at=write possible doubt=unseen_signal
// expect: SC-320 at=use proven
// expect[SAME_ROUND]: SC-320 at=use proven
#include "kernels/basic.cuh"
#include "testcases/driver.h"

static const int N = 1 << 14, rounds = 2;

struct Pipe {
	cudaStream_t producer, consumer;
	float *data, *result;
	unsigned *flag;
};

static void produce(const Pipe &p)
{
	CHECK(cudaMemsetAsync(p.data, 0, N * sizeof(float), p.producer));		   // @fill
	DRIVER_CHECK(DRIVER(cuStreamWriteValue32)(p.producer, (CUdeviceptr)p.flag, 1, 0)); // @write
}

static void consume(const Pipe &p)
{
	DRIVER_CHECK(DRIVER(cuStreamWaitValue32)(p.consumer, (CUdeviceptr)p.flag, 1,
						 CU_STREAM_WAIT_VALUE_EQ));
	double_into<<<blocks_for(N), threads, 0, p.consumer>>>(p.data, p.result, N); // @use
	CHECK(cudaGetLastError());
	CHECK(cudaMemsetAsync(p.flag, 0, sizeof(*p.flag), p.consumer));
}

int main()
{
	Pipe p;

	CHECK(cudaStreamCreateWithFlags(&p.producer, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&p.consumer, cudaStreamNonBlocking));
	p.data = on_device(N * sizeof(float));
	p.result = on_device(N * sizeof(float));
	p.flag = (unsigned *)on_device(sizeof(*p.flag));
	CHECK(cudaMemset(p.flag, 0, sizeof(*p.flag)));
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < rounds; i++) {
#ifdef SAME_ROUND
		const bool is_consumer_first = false;
#else
		const bool is_consumer_first = i > 0;
#endif
		if (is_consumer_first)
			consume(p);
		produce(p);
		if (!is_consumer_first)
			consume(p);
		CHECK(cudaStreamSynchronize(p.consumer));
	}
#ifndef SAME_ROUND
	CHECK(cudaDeviceSynchronize());
#endif
	CHECK(cudaStreamDestroy(p.producer));
	CHECK(cudaStreamDestroy(p.consumer));
	CHECK(cudaFree(p.data));
	CHECK(cudaFree(p.result));
	CHECK(cudaFree(p.flag));
	return 0;
}
