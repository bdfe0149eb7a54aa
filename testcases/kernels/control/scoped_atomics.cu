// libcu++: cuda::atomic in device and shared memory, atomic_ref with orders and scopes, a mutex
// made of an atomic, floating-point and 64-bit atomics, and types of cuda::std.
// expect: clean
#include "testcases/compute.h"

#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/tuple>

static const int THREADS = 96, BLOCKS = 6, N = THREADS * BLOCKS;

struct words {
	int count, locked_count, lock, most;
	unsigned long long sum;
	double total;
	unsigned bits;
};

using device_int = cuda::atomic_ref<int, cuda::thread_scope_device>;

__device__ static void count_locked(words *w)
{
	device_int lock(w->lock);
	bool is_done = false;

	while (!is_done) {
		int open = 0;

		if (!lock.compare_exchange_strong(open, 1, cuda::memory_order_acquire))
			continue;
		w->locked_count++;
		lock.store(0, cuda::memory_order_release);
		is_done = true;
	}
}

__global__ void count(words *w)
{
	__shared__ cuda::atomic<int, cuda::thread_scope_block> here;
	int i = blockIdx.x * THREADS + threadIdx.x;

	if (threadIdx.x == 0)
		here.store(0, cuda::memory_order_relaxed);
	__syncthreads();
	here.fetch_add(i % 3, cuda::memory_order_relaxed);
	device_int(w->most).fetch_max(i * 7 % 1000);
	cuda::atomic_ref<unsigned long long>(w->sum).fetch_add(1ull << (i % 40));
	cuda::atomic_ref<double>(w->total).fetch_add(i * 0.25);
	cuda::atomic_ref<unsigned>(w->bits).fetch_or(1u << i % 29);
	__syncthreads();
	if (threadIdx.x == 0)
		device_int(w->count).fetch_add(here.load());
	if (threadIdx.x % 8 == 0)
		count_locked(w);
}

__host__ __device__ static int mix(int i)
{
	cuda::std::array<int, 5> a = {i, i + 1, i * 2, i / 3, 7};
	cuda::std::tuple<int, float> t(a[i % 5], 0.5f);
	int sum = cuda::std::get<0>(t) + (int)(cuda::std::get<1>(t) * 4);

	for (int v : a)
		sum = sum * 31 + v;
	return sum;
}

__global__ void mixed(int *out)
{
	int i = blockIdx.x * THREADS + threadIdx.x;

	out[i] = mix(i);
}

int main()
{
	need_kernels();
	words *got = host_array<words>(1), want = {}, *d_words = device_zeros<words>(1);
	int *out = host_array<int>(N), *expected = host_array<int>(N),
	    *d_out = device_array<int>(N);

	for (int i = 0; i < N; i++) {
		want.count += i % 3;
		want.most = i * 7 % 1000 > want.most ? i * 7 % 1000 : want.most;
		want.sum += 1ull << (i % 40);
		want.total += i * 0.25;
		want.bits |= 1u << i % 29;
		want.locked_count += i % THREADS % 8 == 0;
		expected[i] = mix(i);
	}
	count<<<BLOCKS, THREADS>>>(d_words);
	mixed<<<BLOCKS, THREADS>>>(d_out);
	read_back(got, d_words, 1);
	read_back(out, d_out, N);
	expect_equal("counts", &got->count, &want.count, 4);
	expect_value("sum", got->sum, want.sum);
	expect_value("total", got->total, want.total);
	expect_value("bits", got->bits, want.bits);
	expect_equal("types", out, expected, N);
	free_device(d_words, d_out);
	free_host(got, out, expected);
	return 0;
}
