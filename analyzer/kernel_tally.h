/* Tallies: how surely the bytes of each kernel's launches were known. */
#ifndef SC_ANALYZER_KERNEL_TALLY_H
#define SC_ANALYZER_KERNEL_TALLY_H

#include "base/map.h"
#include "base/vector.h"
#include "trace/attach.h"

#define SC_KNOWNS	  (SC_KNOWN_PARAMETER + 1)
#define SC_TALLIES_RECENT 256

struct sc_kernel_tally {
	uint32_t kernel;
	uint8_t reason;		      /* enum sc_footprint_reason: the first why of OVER */
	uint64_t launches[SC_KNOWNS]; /* by enum sc_known; PARAMETER: nothing but the parameters */
};

/* An empty one is all zero. */
struct sc_kernel_tallies {
	SC_VECTOR(struct sc_kernel_tally) list; /* by first launch */
	struct sc_u64_map index;		/* kernel → place in the list + 1 */
	uint32_t recent[SC_TALLIES_RECENT];	/* the same by low bits, or 0 */
};

void sc_kernel_tallies_fini(struct sc_kernel_tallies *t);
void sc_kernel_tallies_add(struct sc_kernel_tallies *t, uint32_t kernel, enum sc_known known,
			   uint8_t reason);
/* Launches of all kernels that were known so. */
uint64_t sc_kernel_tallies_sum(const struct sc_kernel_tallies *t, enum sc_known known);

#endif
