// Patches: what the Sanitizer API has kernels call at each access to global memory, to note its
// bytes.
//
// Built by nvcc --compile-as-tools-patch, which leaves these functions few registers, and no redux.
#include "kernels/recording.h"

#define PATCH extern "C" __device__ __noinline__ int

#define FLAG_WRITE    2u
#define FLAG_PREFETCH 8u
#define PROBES	      64u
#define NOWHERE	      UINT32_MAX
#define GIVEN	      (1u << 31)

// The place of the key, claimed if it is new; NOWHERE: there is none. Not inlined, each access
// takes a third longer: the registers are saved that a call may change.
static __device__ __forceinline__ uint32_t claim(struct sc_plane *p, uint64_t key, uint32_t at)
{
	for (unsigned i = 0; i < PROBES; i++, at = (at + 1) & p->mask) {
		unsigned long long *place = (unsigned long long *)&p->keys[at];
		uint64_t old = *(volatile uint64_t *)place;
		uint32_t number;

		if (!old)
			old = atomicCAS(place, 0ull, (unsigned long long)key);
		if (old == key)
			return at;
		if (old)
			continue;
		number = atomicAdd(&p->used_count, 1u);
		if (number < p->used_most) {
			p->used[number] = at;
			return at;
		}
		atomicExch(place, 0ull);
		break;
	}
	p->lost = 1;
	return NOWHERE;
}

static __device__ __forceinline__ uint32_t lane_number(void)
{
	uint32_t lane;

	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	return lane;
}

static __device__ __forceinline__ uint32_t place_of(struct sc_plane *p, uint64_t key)
{
	uint32_t at = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & p->mask;

	// what the cache of this processor has may be old, but a key that is there is there
	if (p->keys[at] == key)
		return at;
	// one lane for all with this key: a kernel begins with all its threads here
	uint32_t peers = __match_any_sync(__activemask(), (unsigned long long)key);
	uint32_t leader = __ffs(peers) - 1;

	if (lane_number() == leader)
		at = p->lost ? NOWHERE : claim(p, key, at);
	return __shfl_sync(peers, at, leader);
}

// Sets bits of a word. Lanes of a warp that set bits of one word let one of them do it: of two
// partners with the same word the lower one takes over the other's bits, unless it gave its own
// away already. The top bit of a word's number is free to say that.
static __device__ __forceinline__ void set(uint32_t *words, uint32_t word, uint32_t bits)
{
	uint32_t active = __activemask(), lane = lane_number(), is_given = 0;

#pragma unroll
	for (uint32_t step = 1; step < 32; step *= 2) {
		uint32_t other = __shfl_xor_sync(active, word | is_given, step);
		uint32_t other_bits = __shfl_xor_sync(active, bits, step);

		if (active >> (lane ^ step) & 1 && (other & ~GIVEN) == word) {
			if (!(lane & step))
				bits |= other_bits;
			else if (!(other & GIVEN))
				is_given = GIVEN;
		}
	}
	if (!is_given && (__ldcg(words + word) & bits) != bits)
		atomicOr(words + word, bits);
}

// Bytes of one access, which lie in 32 aligned ones.
static __device__ __forceinline__ void note(struct sc_plane *p, uint64_t address, uint32_t use,
					    uint32_t bytes)
{
	bool is_fine = bytes < 4;
	uint32_t unit = is_fine ? 0 : 2, bit = (uint32_t)(address >> unit) & 0x1ffff;
	uint32_t bits = (1u << (bytes >> unit)) - 1;
	uint64_t page = address >> (SC_PAGE_BITS_LOG + unit);
	uint32_t at = place_of(p, SC_KEY(p->number, page, use, is_fine));

	if (at != NOWHERE)
		set(p->words, at * SC_PAGE_WORDS + (bit >> 5), bits << (bit & 31));
}

// `bytes`, a multiple of 16, from an address that is one: lanes that call together share the work.
static __device__ void note_range(struct sc_plane *p, uint64_t address, uint32_t use,
				  uint32_t bytes)
{
	uint32_t active = __activemask();
	uint32_t rank = __popc(active & ((1u << lane_number()) - 1));

	for (uint32_t i = rank * 16; i < bytes; i += __popc(active) * 16) {
		uint64_t from = address + i;
		uint32_t bit = (uint32_t)(from >> 2) & 0x1ffff;
		uint32_t at =
			place_of(p, SC_KEY(p->number, from >> (SC_PAGE_BITS_LOG + 2), use, 0));

		if (at != NOWHERE)
			atomicOr(p->words + (uint64_t)at * SC_PAGE_WORDS + (bit >> 5),
				 15u << (bit & 31));
	}
}

// Where this grid's accesses are noted, or NULL. The number of a grid of a graph is what the API's
// callback of its node said.
static __device__ __forceinline__ struct sc_plane *plane_of(void *data)
{
	struct sc_plane *p = (struct sc_plane *)data;
	const struct sc_plane_grid *grids = p ? p->grids : nullptr;
	uint64_t number;

	if (!grids)
		return p;
	asm("mov.u64 %0, %%gridid;" : "=l"(number));
	for (uint32_t i = 0; i < SC_GRIDS && grids[i].number; i++) {
		if (grids[i].number == number)
			return grids[i].plane;
	}
	return nullptr;
}

static __device__ __forceinline__ bool is_global(uint64_t address)
{
	return __isGlobal((const void *)address);
}

// A store gets its value, an atomic nothing. Of a load all bytes count, also those that nobody
// uses.
PATCH sc_record_access(void *data, uint64_t pc, void *address, uint32_t bytes, uint32_t flags,
		       const void *value)
{
	uint64_t at = (uint64_t)address;
	uint32_t use = SC_RECORD_READ;

	(void)pc;
	if (!data || flags & FLAG_PREFETCH || !is_global(at))
		return 0;
	if (flags & FLAG_WRITE)
		use = value ? SC_RECORD_WRITE : SC_RECORD_ATOMIC;
	struct sc_plane *p = plane_of(data);
	if (p)
		note(p, at, use, bytes);
	return 0;
}

PATCH sc_record_async(void *data, uint64_t pc, void *from, uint32_t to, uint32_t bytes)
{
	struct sc_plane *p = plane_of(data);

	(void)pc;
	(void)to;
	if (p && from && bytes)
		note(p, (uint64_t)from, SC_RECORD_COPY, bytes);
	return 0;
}

PATCH sc_record_bulk_load(void *data, uint64_t pc, uint64_t from, uint32_t to, uint32_t barrier,
			  uint32_t blocks, uint32_t is_multicast)
{
	struct sc_plane *p = plane_of(data);

	(void)pc;
	(void)to;
	(void)barrier;
	(void)is_multicast;
	if (p)
		note_range(p, from, SC_RECORD_READ, (blocks & 0xffff) * 16);
	return 0;
}

PATCH sc_record_bulk_store(void *data, uint64_t pc, uint64_t to, uint32_t from, uint32_t blocks)
{
	struct sc_plane *p = plane_of(data);

	(void)pc;
	(void)from;
	if (p)
		note_range(p, to, SC_RECORD_WRITE, blocks * 16);
	return 0;
}

PATCH sc_record_bulk_reduce(void *data, uint64_t pc, uint64_t to, uint32_t from, uint32_t blocks)
{
	struct sc_plane *p = plane_of(data);

	(void)pc;
	(void)from;
	if (p)
		note_range(p, to, SC_RECORD_ATOMIC, blocks * 16);
	return 0;
}

// Any use of a barrier.
PATCH sc_record_barrier(void *data, uint64_t pc, void *barrier, uint32_t kind, uint32_t count)
{
	struct sc_plane *p = plane_of(data);

	(void)pc;
	(void)barrier;
	(void)kind;
	(void)count;
	if (p && !p->barrier)
		p->barrier = 1;
	return 0;
}
