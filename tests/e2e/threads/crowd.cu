// Threads that use one buffer without any order: whatever the schedule is, it is one race of the
// same few lines. Optimized, as programs are built.
//
// usage: crowd PART
//        crowd list
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <linux/futex.h>
#include <mutex>
#include <omp.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>
#include "testcases/common.h"

enum { THREADS = 4, ROUNDS = 6, N = 1 << 12 };

static const size_t bytes = N * sizeof(float);
static float *d_data, *h_data;

__global__ void add(float *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] += 1;
}

template <typename T> __global__ void shift(T *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] = data[i] * 2 + 1;
}

struct stream {
	cudaStream_t s;
	stream(unsigned flags = cudaStreamDefault)
	{
		CHECK(cudaStreamCreateWithFlags(&s, flags));
	}
	~stream()
	{
		CHECK(cudaStreamDestroy(s));
	}
};

static void run_add(cudaStream_t s)
{
	add<<<(N + 255) / 256, 256, 0, s>>>(d_data, N);
}

// All of in_threads have begun their work before one of them waits for its own: on a busy machine
// they would come one after the other, which is an order.
static void meet()
{
	static std::mutex lock;
	static std::condition_variable all_here;
	static int here;
	std::unique_lock<std::mutex> held(lock);
	int round = here++ / THREADS;

	all_here.notify_all();
	all_here.wait(held, [&] { return here / THREADS > round; });
}

template <typename F> static void in_threads(F work)
{
	std::vector<std::thread> all;

	for (int i = 0; i < THREADS; i++)
		all.emplace_back(work, i);
	for (auto &t : all)
		t.join();
}

// Four threads add to one buffer, once each.
static void adders()
{
	in_threads([](int) {
		stream own;

		run_add(own.s);
		meet();
		CHECK(cudaStreamSynchronize(own.s));
	});
}

// The same from four lines, through one function.
static void callers()
{
	stream s[4];
	std::thread a([&] { run_add(s[0].s); }), b([&] { run_add(s[1].s); });
	std::thread c([&] { run_add(s[2].s); }), d([&] { run_add(s[3].s); });

	a.join();
	b.join();
	c.join();
	d.join();
	CHECK(cudaDeviceSynchronize());
}

// Halves, quarters: many pieces of bytes, many neighbours.
static void pieces()
{
	in_threads([](int thread) {
		stream own;

		for (int i = 0; i < ROUNDS; i++) {
			size_t first = (size_t)(thread + i) % 4 * (N / 4);

			CHECK(cudaMemsetAsync(d_data + first, i, bytes / 4, own.s));
			run_add(own.s);
		}
		meet();
		CHECK(cudaStreamSynchronize(own.s));
	});
}

// Up, compute, down: six pairs of lines race.
static void pipeline()
{
	in_threads([](int thread) {
		stream own;
		float *part = h_data + (size_t)thread * N;

		for (int i = 0; i < ROUNDS; i++) {
			CHECK(cudaMemcpyAsync(d_data, part, bytes, cudaMemcpyHostToDevice, own.s));
			run_add(own.s);
			CHECK(cudaMemcpyAsync(part, d_data, bytes, cudaMemcpyDeviceToHost, own.s));
			meet();
			CHECK(cudaStreamSynchronize(own.s));
		}
	});
}

// The thread that begins the region takes part in it.
static void omp_region()
{
#pragma omp parallel num_threads(THREADS)
	{
		stream own;

		add<<<(N + 255) / 256, 256, 0, own.s>>>(d_data, N);
#pragma omp barrier
		CHECK(cudaStreamSynchronize(own.s));
	}
}

static void omp_loop()
{
	stream s[THREADS * ROUNDS];

#pragma omp parallel for num_threads(THREADS) schedule(dynamic)
	for (int i = 0; i < THREADS * ROUNDS; i++)
		run_add(s[i].s);
	CHECK(cudaDeviceSynchronize());
}

// A pool whose owner helps while it waits.
struct pool {
	std::mutex lock;
	std::condition_variable is_new;
	std::deque<std::function<void()>> tasks;
	std::vector<std::thread> threads;
	bool is_over = false;

	bool run_one(bool waits)
	{
		std::unique_lock<std::mutex> held(lock);

		if (waits)
			is_new.wait(held, [&] { return is_over || !tasks.empty(); });
		if (tasks.empty())
			return false;
		std::function<void()> task = std::move(tasks.front());
		tasks.pop_front();
		held.unlock();
		task();
		return true;
	}

	pool()
	{
		for (int i = 0; i < THREADS - 1; i++)
			threads.emplace_back([this] {
				while (run_one(true))
					;
			});
	}

	void add(std::function<void()> task)
	{
		std::lock_guard<std::mutex> held(lock);

		tasks.push_back(std::move(task));
		is_new.notify_one();
	}

	~pool()
	{
		while (run_one(false))
			;
		{
			std::lock_guard<std::mutex> held(lock);
			is_over = true;
		}
		is_new.notify_all();
		for (auto &t : threads)
			t.join();
	}
};

static void pooled()
{
	stream s[THREADS * ROUNDS];
	{
		pool workers;

		for (auto &each : s)
			workers.add([&each] { run_add(each.s); });
	}
	CHECK(cudaDeviceSynchronize());
}

// Some run in threads of their own, some in the one that asks for the result.
static void async_tasks()
{
	std::vector<std::future<void>> all;
	stream s[THREADS * 2];

	for (int i = 0; i < THREADS * 2; i++)
		all.push_back(std::async(i % 2 ? std::launch::async : std::launch::deferred,
					 [&s, i] { run_add(s[i].s); }));
	for (auto &f : all)
		f.get();
	CHECK(cudaDeviceSynchronize());
}

template <typename T> static void run_shift(cudaStream_t s)
{
	shift<<<(N + 255) / 256, 256, 0, s>>>((T *)d_data, N);
}

// One line launches instances of one template.
static void templates()
{
	in_threads([](int thread) {
		stream own(thread % 2 ? cudaStreamNonBlocking : cudaStreamDefault);

		if (thread % 2)
			run_shift<float>(own.s);
		else
			run_shift<int>(own.s);
		meet();
		CHECK(cudaStreamSynchronize(own.s));
	});
}

// What std::condition_variable and C++'s atomics call: of the arguments after the third a wake
// takes none, and the registers have what was there before.
static void wake(void *left, void *over)
{
	static int word;

	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, left, over, 0);
}

// Each thread reads the result of all; between the launches a call makes the device wait, perhaps.
static void readers()
{
	float *shared = pinned(bytes);

	fill(shared, 0, N);
	in_threads([shared](int) {
		stream own;
		void *more;

		CHECK(cudaMalloc(&more, 256));
		add<<<(N + 255) / 256, 256, 0, own.s>>>(shared, N);
		meet();
		wake(shared, shared + N - 1);
		volatile float got = shared[0] + shared[N - 1];
		(void)got;
		CHECK(cudaStreamSynchronize(own.s));
	});
	CHECK(cudaFreeHost(shared));
}

static const struct {
	const char *name;
	void (*run)();
} parts[] = {
	{"adders", adders},	{"callers", callers},	    {"pieces", pieces},
	{"pipeline", pipeline}, {"omp_region", omp_region}, {"omp_loop", omp_loop},
	{"pooled", pooled},	{"async", async_tasks},	    {"templates", templates},
	{"readers", readers},
};

int main(int argc, char **argv)
{
	if (argc < 2 || !strcmp(argv[1], "list")) {
		for (auto &part : parts)
			puts(part.name);
		return 0;
	}
	d_data = on_device(bytes);
	h_data = pinned(bytes * THREADS);
	fill(h_data, 1, N * THREADS);
	CHECK(cudaMemset(d_data, 0, bytes));
	CHECK(cudaDeviceSynchronize());
	for (auto &part : parts)
		if (!strcmp(argv[1], part.name))
			part.run();
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
