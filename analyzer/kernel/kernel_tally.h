/* Tallies: how surely the bytes of each kernel's launches were known. */
#pragma once

#include <stdbool.h>
#include "base/map.h"
#include "base/vector.h"
#include "trace/attach.h"

/* Launches that touch some memory which is not known at all. */
#define SC_TALLY_OPEN	  (SC_KNOWN_PARAMETER + 1)
#define SC_TALLY_KNOWNS	  (SC_TALLY_OPEN + 1)
#define SC_TALLIES_RECENT 256

struct sc_kernel_tally {
	uint32_t kernel;
	uint8_t reason; /* enum sc_footprint_reason: the first why of OVER, or of OPEN */
	bool is_merged; /* it was added to another one, and is dropped */
	bool waits;	/* for kernels that it may begin before, as its code says (L-2) */
	/* By enum sc_known, or OPEN; PARAMETER: nothing but the parameters. */
	uint64_t launches[SC_TALLY_KNOWNS];
};

/* An empty one is all zero. */
struct sc_kernel_tallies {
	SC_VECTOR(struct sc_kernel_tally) list; /* by first launch */
	struct sc_u64_map index;		/* kernel → place in the list + 1 */
	uint32_t recent[SC_TALLIES_RECENT];	/* the same by low bits, or 0 */
	/* By a hash of the name: kernel that stands for all that are forgotten. */
	struct sc_u64_map ended;
	size_t merged; /* rows without a kernel: they were added to another one */
};

void sc_kernel_tallies_fini(struct sc_kernel_tallies *t);
/* Counts a launch that is known so (enum sc_known, or OPEN). */
void sc_kernel_tallies_add(struct sc_kernel_tallies *t, uint32_t kernel, unsigned known,
			   uint8_t reason);
/* The kernel is launched no more: kernels of one name, as of a module that is loaded again and
 * again, share a row from then on. */
void sc_kernel_tallies_end(struct sc_kernel_tallies *t, uint32_t kernel, const char *name);
/* After the last launch: drops rows that were added to others. */
void sc_kernel_tallies_finish(struct sc_kernel_tallies *t);
/* Launches of all kernels that were known so. */
uint64_t sc_kernel_tallies_sum(const struct sc_kernel_tallies *t, unsigned known);
