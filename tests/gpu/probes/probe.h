/* Shared by the probes of specification appendix C: a kernel that holds a stream, and a stop-watch.
 *
 * A probe asks the driver one question and prints `fact: QUESTION = ANSWER` lines. Facts tune
 * severities and notes; they never become ordering rules.
 */
#ifndef PROBE_H
#define PROBE_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define CHECK(call)                                                                 \
	do {                                                                        \
		cudaError_t check_ = (call);                                        \
		if (check_ != cudaSuccess) {                                        \
			printf("broken: %s:%d %s: %s\n", __FILE__, __LINE__, #call, \
			       cudaGetErrorName(check_));                           \
			exit(1);                                                    \
		}                                                                   \
	} while (0)
#define CHECK_DRIVER(call)                                                                   \
	do {                                                                                 \
		CUresult check_ = (call);                                                    \
		if (check_ != CUDA_SUCCESS) {                                                \
			printf("broken: %s:%d %s: %d\n", __FILE__, __LINE__, #call, check_); \
			exit(1);                                                             \
		}                                                                            \
	} while (0)

static inline double now_ms()
{
	using namespace std::chrono;
	return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

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

static __global__ void store(volatile int *where, int value)
{
	*where = value;
	__threadfence_system();
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

static inline const char *waited(double ms)
{
	return ms > 40 ? "waits" : "returns at once";
}

static inline void fact(const char *question, const char *answer)
{
	printf("fact: %s = %s\n", question, answer);
}

static inline void fact_timed(const char *question, double ms)
{
	printf("fact: %s = %s (%.2f ms)\n", question, waited(ms), ms);
}

#endif
