/* A sorted array of gaps in the reserved address range. */
#include "simulator/driver/range.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGEST_RESERVE	 ((size_t)1 << 42)
#define SMALLEST_RESERVE ((size_t)1 << 32)

struct gap {
	uintptr_t base;
	size_t size_bytes;
};

static struct gap *gaps; /* owned; ascending, never adjacent */
static size_t gap_count;
static size_t gap_capacity;

static size_t round_up(size_t size_bytes)
{
	return (size_bytes + SIM_RANGE_ALIGNMENT - 1) & ~(size_t)(SIM_RANGE_ALIGNMENT - 1);
}

static bool insert_gap(size_t at, struct gap gap)
{
	struct gap *grown;

	if (gap_count == gap_capacity) {
		grown = realloc(gaps, (gap_capacity + 64) * sizeof(*gaps));
		if (!grown)
			return false;
		gaps = grown;
		gap_capacity += 64;
	}
	memmove(&gaps[at + 1], &gaps[at], (gap_count - at) * sizeof(*gaps));
	gaps[at] = gap;
	gap_count++;
	return true;
}

static void remove_gap(size_t at)
{
	gap_count--;
	memmove(&gaps[at], &gaps[at + 1], (gap_count - at) * sizeof(*gaps));
}

bool sim_range_init(void)
{
	size_t size;
	void *base;

	for (size = LARGEST_RESERVE; size >= SMALLEST_RESERVE; size /= 2) {
		base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			    0);
		if (base == MAP_FAILED)
			continue;
		madvise(base, size, MADV_DONTDUMP);
		return insert_gap(0, (struct gap){(uintptr_t)base, size});
	}
	return false;
}

uintptr_t sim_range_take(size_t size_bytes)
{
	size_t i, size = round_up(size_bytes);
	uintptr_t base;

	if (size < size_bytes)
		return 0;
	for (i = 0; i < gap_count; i++) {
		if (gaps[i].size_bytes < size)
			continue;
		base = gaps[i].base;
		gaps[i].base += size;
		gaps[i].size_bytes -= size;
		if (!gaps[i].size_bytes)
			remove_gap(i);
		return base;
	}
	return 0;
}

void sim_range_give(uintptr_t base, size_t size_bytes)
{
	size_t i = 0, size = round_up(size_bytes);
	bool joins_left, joins_right;

	while (i < gap_count && gaps[i].base < base)
		i++;
	joins_left = i > 0 && gaps[i - 1].base + gaps[i - 1].size_bytes == base;
	joins_right = i < gap_count && base + size == gaps[i].base;
	if (joins_left) {
		gaps[i - 1].size_bytes += size;
		if (joins_right) {
			gaps[i - 1].size_bytes += gaps[i].size_bytes;
			remove_gap(i);
		}
	} else if (joins_right) {
		gaps[i].base = base;
		gaps[i].size_bytes += size;
	} else {
		insert_gap(i, (struct gap){base, size}); /* without memory the addresses are lost */
	}
}

uintptr_t sim_range_take_aligned(size_t size_bytes, size_t alignment)
{
	size_t lead, wanted = round_up(size_bytes);
	uintptr_t base, aligned;

	if (alignment <= SIM_RANGE_ALIGNMENT)
		return sim_range_take(size_bytes);
	if (wanted < size_bytes || wanted + alignment < wanted)
		return 0;
	base = sim_range_take(wanted + alignment);
	if (!base)
		return 0;
	aligned = (base + alignment - 1) & ~(uintptr_t)(alignment - 1);
	lead = aligned - base;
	if (lead)
		sim_range_give(base, lead);
	sim_range_give(aligned + wanted, alignment - lead);
	return aligned;
}
