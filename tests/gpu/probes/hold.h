/* Holds the work of a stream back, and times calls meanwhile. Included by probe.h. */
#ifndef PROBE_HOLD_H
#define PROBE_HOLD_H

/* Says that it runs, then waits for the flag, for two seconds at most. */
static __global__ void spin(volatile int *flag, volatile int *running)
{
	unsigned long long start, now;

	if (running)
		*running = 1;
	__threadfence_system();
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	do {
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	} while (!*flag && now - start < 2000000000ull);
}

/* A stream's work held back by a spinning kernel until release(). */
struct Hold {
	volatile int *flag;
	volatile int *running;

	Hold()
	{
		int *pages;
		CHECK(cudaMallocHost(&pages, 2 * sizeof(int)));
		pages[0] = pages[1] = 0;
		flag = pages;
		running = pages + 1;
	}
	void start(cudaStream_t stream)
	{
		*flag = 0;
		*running = 0;
		std::atomic_thread_fence(std::memory_order_seq_cst);
		spin<<<1, 1, 0, stream>>>(flag, running);
		CHECK(cudaGetLastError());
		while (!*running)
			if (cudaStreamQuery(stream) == cudaSuccess)
				break;
	}
	void enqueue(cudaStream_t stream)
	{
		*flag = 0;
		spin<<<1, 1, 0, stream>>>(flag, nullptr);
		CHECK(cudaGetLastError());
	}
	void release()
	{
		*flag = 1;
	}
};

/* Milliseconds that `call` takes while another thread releases `hold` after 60 ms. */
template <typename Call> static double timed_ms(Hold &hold, Call call)
{
	std::thread later([&] {
		std::this_thread::sleep_for(std::chrono::milliseconds(60));
		hold.release();
	});
	double start = now_ms();

	call();
	double took = now_ms() - start;

	later.join();
	return took;
}

#endif
