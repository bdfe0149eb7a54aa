// Collects what patches noted of one launch (recording.h): runs of bits become ranges of bytes in
// host memory, and the bits are cleared for the next launch.
#include "kernels/recording.h"

#define THREADS	 256u
#define WARPS	 (THREADS / 32u)
#define EACH	 (SC_PAGE_WORDS / THREADS) // words of a thread, side by side
#define PAGE_END (SC_PAGE_WORDS * 32u)

// Sums of the numbers of all threads before this one; `total`: of all.
static __device__ uint2 sums_before(uint2 mine, uint2 *total)
{
	__shared__ uint2 of_warp[WARPS];
	uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	uint2 sum = mine, before = {0, 0};

	for (uint32_t step = 1; step < 32; step *= 2) {
		uint32_t x = __shfl_up_sync(~0u, sum.x, step);
		uint32_t y = __shfl_up_sync(~0u, sum.y, step);

		sum.x += lane >= step ? x : 0;
		sum.y += lane >= step ? y : 0;
	}
	if (lane == 31)
		of_warp[warp] = sum;
	__syncthreads();
	*total = make_uint2(0, 0);
	for (uint32_t i = 0; i < WARPS; i++) {
		before.x += i < warp ? of_warp[i].x : 0;
		before.y += i < warp ? of_warp[i].y : 0;
		total->x += of_warp[i].x;
		total->y += of_warp[i].y;
	}
	return make_uint2(before.x + sum.x - mine.x, before.y + sum.y - mine.y);
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

// A thread's words, and the bits beside them.
struct part {
	uint32_t word[EACH];
	uint32_t before, after;
};

// The words are zero afterwards.
static __device__ void take(struct part *part, uint32_t *words)
{
	__shared__ uint32_t first[THREADS + 1], last[THREADS + 1];
	uint4 *from = (uint4 *)words + threadIdx.x * (EACH / 4);

#pragma unroll
	for (uint32_t i = 0; i < EACH / 4; i++) {
		uint4 four = from[i];

		part->word[4 * i] = four.x;
		part->word[4 * i + 1] = four.y;
		part->word[4 * i + 2] = four.z;
		part->word[4 * i + 3] = four.w;
		from[i] = make_uint4(0, 0, 0, 0);
	}
	first[threadIdx.x] = part->word[0] & 1;
	last[threadIdx.x + 1] = part->word[EACH - 1] >> 31;
	if (!threadIdx.x)
		first[THREADS] = last[0] = 0;
	__syncthreads();
	part->before = last[threadIdx.x];
	part->after = first[threadIdx.x + 1];
}

// The bits at which runs begin, and their last ones.
static __device__ void edges(const struct part *part, uint32_t i, uint32_t *starts, uint32_t *ends)
{
	uint32_t word = part->word[i];
	uint32_t before = i ? part->word[i - 1] >> 31 : part->before;
	uint32_t after = i + 1 < EACH ? part->word[i + 1] & 1 : part->after;

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
				  const struct part *part, uint32_t first, uint2 before)
{
#pragma unroll
	for (uint32_t i = 0; i < EACH; i++) {
		uint32_t bit = (threadIdx.x * EACH + i) * 32, starts, ends;

		edges(part, i, &starts, &ends);
		for (; starts; starts &= starts - 1)
			write_start(&runs->run[first + before.x++], page, bit + __ffs(starts) - 1);
		for (; ends; ends &= ends - 1)
			write_end(&runs->run[first + before.y++], page, bit + __ffs(ends), 0);
	}
}

// One run from the first bit to the last.
static __device__ void write_bounds(struct sc_runs *runs, const struct page *page,
				    const struct part *part, uint32_t place)
{
	__shared__ uint32_t low, high;

	if (!threadIdx.x) {
		low = PAGE_END;
		high = 0;
	}
	__syncthreads();
#pragma unroll
	for (uint32_t i = 0; i < EACH; i++) {
		uint32_t bit = (threadIdx.x * EACH + i) * 32, word = part->word[i];

		if (word) {
			atomicMin(&low, bit + __ffs(word) - 1);
			atomicMax(&high, bit + 32 - __clz(word));
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
	uint64_t key = p->keys[place];
	uint32_t unit = SC_KEY_IS_FINE(key) ? 0 : 2;
	struct page page = {SC_KEY_PAGE(key) << (SC_PAGE_BITS_LOG + unit), unit, SC_KEY_USE(key)};
	struct part part;
	uint2 mine = {0, 0}, before, total;

	take(&part, p->words + (uint64_t)place * SC_PAGE_WORDS);
#pragma unroll
	for (uint32_t i = 0; i < EACH; i++) {
		uint32_t starts, ends;

		edges(&part, i, &starts, &ends);
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
	__threadfence(); // whoever claims the place next finds no bits in it
	__syncthreads();
	if (!threadIdx.x)
		p->keys[place] = 0;
	if (is_whole)
		write_runs(p->runs, &page, &part, (uint32_t)first, before);
	else
		write_bounds(p->runs, &page, &part, (uint32_t)first);
	__syncthreads();
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
