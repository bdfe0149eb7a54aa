/* Exemptions: pages that calls into the kernel use, and that are not protected meanwhile.
 *
 * One entry a call, only for calls with addresses in CUDA's host memory. All under the guard's
 * lock. A call that a signal handler jumped out of leaves an entry that its thread's next call from
 * further up the stack drops, at the latest its end. While there are no entries nothing costs
 * anything.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SC_EXEMPTIONS 1024 /* calls at a time */

struct sc_exemption {
	uint64_t low, high; /* pages; high 0: the entry is free */
	const void *thread; /* its sc_self */
	uint64_t frame;	    /* where on the stack the call is */
};

struct sc_exemptions {
	uint32_t used; /* entries [0, used) were ever used */
	struct sc_exemption item[SC_EXEMPTIONS];
};

/* Sets entry `number`, or if that is 0 takes one, for the calling thread. Returns its number, 1 or
 * more; 0: there is none to be had. */
uint32_t sc_exemption_set(struct sc_exemptions *exemptions, uint32_t number, uint64_t low,
			  uint64_t high, uint64_t frame);
/* The entry is free again. Returns what it was. */
struct sc_exemption sc_exemption_take(struct sc_exemptions *exemptions, struct sc_exemption *entry);
/* True if the page is in one; *next is lowered to where that may change. */
bool sc_exemption_holds(const struct sc_exemptions *exemptions, uint64_t page, uint64_t *next);
