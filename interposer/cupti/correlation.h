/* Links: from the numbers that CUPTI gives to calls to the ops that were written for them.
 *
 * A ring: a call puts its pair in when it is entered, CUPTI's thread looks it up when the record of
 * the device arrives, a moment later. A pair that was overwritten meanwhile is not found; it is
 * never mistaken for another one: the place and what stands there are the whole number. No locks; a
 * put is one store of a word, and eight calls share a cache line.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define SC_CORRELATIONS (1u << 18)

struct sc_correlations {
	/* SC_CORRELATIONS of them, or NULL: out of memory. Sequence number + 1 of an op, and below
	 * it the part of its correlation id that the place does not give. */
	_Atomic uint64_t *slot;
};

void sc_correlations_init(struct sc_correlations *links);
void sc_correlations_put(struct sc_correlations *links, uint32_t correlation, uint64_t link);
/* Sequence number + 1 of the op, or 0. */
uint64_t sc_correlations_find(const struct sc_correlations *links, uint32_t correlation);
