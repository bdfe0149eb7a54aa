/* Ranges: disjoint address ranges in order, each the first member of what it stands for.
 *
 * A treap: a search tree by address that is a heap by random priority, so that it stays shallow
 * whatever the order of insertion. Find, insert and remove are O(log n) expected. The set owns
 * nothing. Compared with a byte array in tests/unit/test_range.c.
 */
#ifndef SC_ANALYZER_RANGE_H
#define SC_ANALYZER_RANGE_H

#include <stddef.h>
#include <stdint.h>

struct sc_range {
	uint64_t start;
	uint64_t end; /* one past the last byte; above start */
	struct sc_range *left, *right;
	uint32_t priority;
};

/* An empty set is all zero. */
struct sc_ranges {
	struct sc_range *root;
	uint32_t random;
	size_t count;
};

/* The lowest range that ends above the address (it may contain it), or NULL. */
struct sc_range *sc_ranges_from(const struct sc_ranges *set, uint64_t address);
/* The range that contains the address, or NULL. */
struct sc_range *sc_ranges_at(const struct sc_ranges *set, uint64_t address);
/* Adds a range that overlaps none of the set. */
void sc_ranges_insert(struct sc_ranges *set, struct sc_range *r);
/* Removes a range that is in the set. */
void sc_ranges_remove(struct sc_ranges *set, struct sc_range *r);

#endif
