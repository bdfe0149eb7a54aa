// One thread records an event, another one lets its stream wait for it; that the record comes first
// is nowhere to be seen.
// options: hosts=strict
// expect: SC-212 at=wait possible doubt=handed_over
// expect[FIXED]: clean
#include <condition_variable>
#include <mutex>
#include <thread>
#include "testcases/common.h"
#include "testcases/unseen.h"

struct work {
	cudaStream_t producer, consumer;
	cudaEvent_t ready;
	float *d_data, *d_copy;
	size_t bytes;
};

static unseen is_recorded;
static std::mutex lock;
static std::condition_variable changed;
static bool may_wait;

static void produce(const struct work *w)
{
	CHECK(cudaMemsetAsync(w->d_data, 1, w->bytes, w->producer));
	CHECK(cudaEventRecord(w->ready, w->producer));
	is_recorded.set();
	std::lock_guard<std::mutex> guard(lock);
	may_wait = true;
	changed.notify_one();
}

static void consume(const struct work *w)
{
	is_recorded.await();
#ifdef FIXED
	{
		std::unique_lock<std::mutex> guard(lock);

		changed.wait(guard, [] { return may_wait; });
	}
#endif
	CHECK(cudaStreamWaitEvent(w->consumer, w->ready, 0)); // @wait
	CHECK(cudaMemcpyAsync(w->d_copy, w->d_data, w->bytes, cudaMemcpyDeviceToDevice,
			      w->consumer));
}

int main()
{
	struct work w = {};

	w.bytes = 1 << 16;
	w.d_data = on_device(w.bytes);
	w.d_copy = on_device(w.bytes);
	CHECK(cudaStreamCreate(&w.producer));
	CHECK(cudaStreamCreate(&w.consumer));
	CHECK(cudaEventCreateWithFlags(&w.ready, cudaEventDisableTiming));
	std::thread producer(produce, &w), consumer(consume, &w);
	producer.join();
	consumer.join();
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaEventDestroy(w.ready));
	CHECK(cudaStreamDestroy(w.producer));
	CHECK(cudaStreamDestroy(w.consumer));
	CHECK(cudaFree(w.d_data));
	CHECK(cudaFree(w.d_copy));
	return 0;
}
