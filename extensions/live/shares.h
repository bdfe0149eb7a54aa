/* Shares: what each trace of a run may take of the disk (option live-disk).
 *
 * Processes that live share what those that ended have left, in equal parts, a small one at least.
 * Once traces of ended processes take more than half of the whole, theirs are given back, too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/vector.h"
#include "extensions/live/disk.h"

#define SC_SHARE_LEAST ((uint64_t)16 << 20)

/* All zero at first. */
struct sc_shares {
	uint64_t bound;				    /* of all */
	uint64_t ended;				    /* bytes that traces of ended processes take */
	SC_VECTOR(struct sc_disk *) living, others; /* borrowed */
};

/* For each round: begun, each trace added, given out. */
void sc_shares_begin(struct sc_shares *s, uint64_t bound);
void sc_shares_add(struct sc_shares *s, struct sc_disk *d, bool lives);
void sc_shares_give_out(struct sc_shares *s);
void sc_shares_fini(struct sc_shares *s);
