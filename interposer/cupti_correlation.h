/* Links: from the numbers that CUPTI gives to calls to the ops that were written for them.
 *
 * A ring: a call puts its pair in when it is entered, CUPTI's thread looks it up when the record of
 * the device arrives, a moment later. A pair that was overwritten meanwhile is not found; it is
 * never mistaken for another one. No locks; a put is two stores.
 */
#ifndef SC_INTERPOSER_CUPTI_CORRELATION_H
#define SC_INTERPOSER_CUPTI_CORRELATION_H

#include <stdatomic.h>
#include <stdint.h>

#define SC_CORRELATIONS (1u << 18)

struct sc_correlation {
	atomic_uint correlation; /* 0: being written */
	_Atomic uint64_t link;	 /* sequence number + 1 of the op */
};

struct sc_correlations {
	struct sc_correlation *slot; /* SC_CORRELATIONS of them, or NULL: out of memory */
};

void sc_correlations_init(struct sc_correlations *links);
void sc_correlations_put(struct sc_correlations *links, uint32_t correlation, uint64_t link);
/* Sequence number + 1 of the op, or 0. */
uint64_t sc_correlations_find(const struct sc_correlations *links, uint32_t correlation);

#endif
