// Collects what patches noted of one launch (recording.h): runs of bits become ranges of bytes in host
// memory, and the bits are cleared for the next launch.
#include "kernels/recording.h"

#define THREADS	 256u
#define EACH	 (SC_PAGE_WORDS / THREADS) // words of a thread, side by side
#define PAGE_END (SC_PAGE_WORDS * 32u)

// Sums of the numbers of all threads before this one; `total`: of all.
static __device__ uint2 sums_before(uint2 mine, uint2 *total)
{
	__shared__ uint2 sum[THREADS];
	uint32_t i = threadIdx.x;

	sum[i] = mine;
	for (uint32_t step = 1; step < THREADS; step *= 2) {
		uint2 add = {0, 0};

		__syncthreads();
		if (i >= step)
			add = sum[i - step];
		__syncthreads();
		sum[i].x += add.x;
		sum[i].y += add.y;
	}
	__syncthreads();
	*total = sum[THREADS - 1];
	return make_uint2(sum[i].x - mine.x, sum[i].y - mine.y);
}

// Room for `count` runs of which `most` fit; the first of them, or -1.
static __device__ int64_t reserve(uint32_t *taken, uint32_t count, uint32_t most)
{
	uint32_t old = *(volatile uint32_t *)taken, seen;

	for (;; old = seen) {
		if (count > most || old > most - count)
			return -1;
		seen = atomicCAS(taken, old, old + count);
		if (seen == old)
			return old;
	}
}

// The bits at which runs begin, and those that follow their last ones.
static __device__ void edges(const uint32_t *words, uint32_t at, uint32_t *starts, uint32_t *ends)
{
	uint32_t word = words[at];
	uint32_t before = at ? words[at - 1] >> 31 : 0;
	uint32_t after = at + 1 < SC_PAGE_WORDS ? words[at + 1] & 1 : 0;

	*starts = word & ~(word << 1 | before);
	*ends = word & ~(word >> 1 | after << 31);
}

struct page {
	uint64_t base;
	uint32_t unit; // log of bytes for a bit
	uint32_t use;
};

static __device__ void write_start(struct sc_run *run, const struct page *page, uint32_t bit)
{
	run->first = page->base + ((uint64_t)bit << page->unit);
}

static __device__ void write_end(struct sc_run *run, const struct page *page, uint32_t bit,
				 uint32_t has_gaps)
{
	uint64_t end = page->base + ((uint64_t)bit << page->unit);

	run->end_use = end << 8 | page->use << 1 | has_gaps;
}

// All runs of the page, from run `first` on.
static __device__ void write_runs(struct sc_runs *runs, const struct page *page,
				  const uint32_t *words, uint32_t first, uint2 before)
{
	for (uint32_t i = 0; i < EACH; i++) {
		uint32_t at = threadIdx.x * EACH + i, starts, ends;

		edges(words, at, &starts, &ends);
		for (; starts; starts &= starts - 1)
			write_start(&runs->run[first + before.x++], page,
				    at * 32 + __ffs(starts) - 1);
		for (; ends; ends &= ends - 1)
			write_end(&runs->run[first + before.y++], page, at * 32 + __ffs(ends), 0);
	}
}

// One run from the first bit to the last.
static __device__ void write_bounds(struct sc_runs *runs, const struct page *page,
				    const uint32_t *words, uint32_t place)
{
	__shared__ uint32_t low, high;

	if (!threadIdx.x) {
		low = PAGE_END;
		high = 0;
	}
	__syncthreads();
	for (uint32_t i = 0; i < EACH; i++) {
		uint32_t at = threadIdx.x * EACH + i;

		if (words[at]) {
			atomicMin(&low, at * 32 + __ffs(words[at]) - 1);
			atomicMax(&high, at * 32 + 32 - __clz(words[at]));
		}
	}
	__syncthreads();
	if (!threadIdx.x) {
		write_start(&runs->run[place], page, low);
		write_end(&runs->run[place], page, high, 1);
	}
}

static __device__ void collect_page(struct sc_plane *p, uint32_t place, uint32_t pages)
{
	__shared__ int64_t first;
	__shared__ int32_t is_whole;
	uint32_t *words = p->words + (uint64_t)place * SC_PAGE_WORDS;
	uint64_t key = p->keys[place];
	uint32_t unit = SC_KEY_IS_FINE(key) ? 0 : 2;
	struct page page = {SC_KEY_PAGE(key) << (SC_PAGE_BITS_LOG + unit), unit, SC_KEY_USE(key)};
	uint2 mine = {0, 0}, before, total;

	for (uint32_t i = 0; i < EACH; i++) {
		uint32_t starts, ends;

		edges(words, threadIdx.x * EACH + i, &starts, &ends);
		mine.x += __popc(starts);
		mine.y += __popc(ends);
	}
	before = sums_before(mine, &total);
	if (!threadIdx.x) {
		first = reserve(&p->runs_count, total.x, p->runs_most - pages);
		is_whole = first >= 0;
		if (!is_whole)
			first = reserve(&p->runs_count, 1, p->runs_most);
	}
	__syncthreads();
	if (is_whole)
		write_runs(p->runs, &page, words, (uint32_t)first, before);
	else
		write_bounds(p->runs, &page, words, (uint32_t)first);
	__syncthreads();
	for (uint32_t i = 0; i < EACH; i++)
		words[threadIdx.x + i * THREADS] = 0;
	__threadfence(); // whoever claims the place next finds no bits in it
	__syncthreads();
	if (!threadIdx.x)
		p->keys[place] = 0;
}

// The last block says that all is there.
static __device__ void finish(struct sc_plane *p)
{
	struct sc_runs *runs = p->runs;

	__threadfence_system();
	if (atomicAdd(&p->blocks_done, 1u) + 1 != gridDim.x)
		return;
	__threadfence_system();
	runs->count = p->runs_count;
	runs->lost = p->lost;
	runs->barrier = p->barrier;
	p->lost = 0;
	p->barrier = 0;
	p->used_count = 0;
	p->runs_count = 0;
	p->blocks_done = 0;
	__threadfence_system();
	*(volatile uint32_t *)&runs->is_ready = 1;
}

// Any number of blocks of THREADS.
extern "C" __global__ void sc_collect(struct sc_plane *p)
{
	uint32_t pages = min(*(volatile uint32_t *)&p->used_count, p->used_most);

	for (uint32_t i = blockIdx.x; i < pages; i += gridDim.x)
		collect_page(p, p->used[i], pages);
	__syncthreads();
	if (!threadIdx.x)
		finish(p);
}
