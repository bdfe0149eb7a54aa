/* Ranges: disjoint address ranges in order, each the first member of what it stands for.
 *
 * Naive form: a sorted array. Here the array is cut into chunks of up to SC_RANGE_CHUNK, so that a
 * change moves few of them; a look-up is two binary searches through memory that lies together, or
 * one as long as there is one chunk. The set owns its chunks, not the ranges, and gives them back
 * when the last range is removed. A range may be made shorter at its end while it is in a set.
 * Compared with a byte array in tests/unit/analyzer/test_range.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SC_RANGE_CHUNK 128

struct sc_range {
	uint64_t start;
	uint64_t end; /* one past the last byte; above start */
};

struct sc_range_slot {
	uint64_t start;
	struct sc_range *range; /* borrowed */
};

struct sc_range_chunk {
	struct sc_range_slot *slots; /* owned; by start */
	uint32_t count, room;
};

/* An empty set is all zero. */
struct sc_ranges {
	struct sc_range_chunk only;    /* all ranges, unless there are chunks */
	struct sc_range_chunk *chunks; /* owned; none of them is empty */
	size_t chunk_count, chunk_room;
	size_t count;
};

/* The lowest range that ends above the address (it may contain it), or NULL. */
struct sc_range *sc_ranges_from(const struct sc_ranges *set, uint64_t address);
/* The range that contains the address, or NULL. */
struct sc_range *sc_ranges_at(const struct sc_ranges *set, uint64_t address);
/* The highest range, or NULL. */
struct sc_range *sc_ranges_last(const struct sc_ranges *set);
/* Adds a range that overlaps none of the set. */
void sc_ranges_insert(struct sc_ranges *set, struct sc_range *r);
/* Removes a range that is in the set. */
void sc_ranges_remove(struct sc_ranges *set, struct sc_range *r);
