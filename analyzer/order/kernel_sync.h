/* Synchronizing kernels: they publish to others, or observe others, through words in memory while
 * they run.
 *
 * Strong stores and loads of system scope order a kernel and the host (M-4), those of a device's
 * scope with fences order two kernels (D-7); the trace has neither. Whatever comes before a kernel
 * that publishes may therefore come before a kernel that observes, and before whatever comes
 * after that kernel. No race between the two is proven then. Which kernels do that is read from
 * their code; kernels whose code is not known count as silent, but those of NCCL (by their names),
 * which hand results to each other.
 */
#ifndef SC_ANALYZER_ORDER_KERNEL_SYNC_H
#define SC_ANALYZER_ORDER_KERNEL_SYNC_H

#include <stdbool.h>
#include "analyzer/clock/interval.h"
#include "base/vector.h"

/* Whom the words reach: host and all devices, or the kernels of a device. */
enum sc_kernel_sync_reach { SC_KERNEL_SYNC_SYSTEM, SC_KERNEL_SYNC_DEVICE, SC_KERNEL_SYNC_REACHES };

/* The synchronizing kernels of one lane. */
struct sc_kernel_sync_lane {
	uint32_t lane;
	uint64_t published[SC_KERNEL_SYNC_REACHES]; /* of the last kernel that publishes, or 0 */
	uint64_t observed_first[SC_KERNEL_SYNC_REACHES]; /* of the first that observes */
	uint64_t observed_last[SC_KERNEL_SYNC_REACHES];
	struct sc_clock
		*start[SC_KERNEL_SYNC_REACHES]; /* owned: what the last that publishes came after */
};

struct sc_kernel_syncs {
	struct sc_clock_pool *pool;		     /* borrowed */
	SC_VECTOR(struct sc_kernel_sync_lane) lanes; /* only those with such kernels */
};

void sc_kernel_syncs_fini(struct sc_kernel_syncs *all);
/* Notes what a kernel does by its code: `grid` has bits of enum sc_grid. */
void sc_kernel_sync_note(struct sc_kernel_syncs *all, const struct sc_interval *kernel,
			 unsigned grid);
/* True if a kernel that begins after the op publishes to the host, which may then know that the op
 * is over. */
bool sc_kernel_sync_may_end(const struct sc_kernel_syncs *all, const struct sc_interval *x);
/* True if words in memory may order the two; the host is assumed to publish and observe always. */
bool sc_kernel_sync_may_order(const struct sc_kernel_syncs *all, const struct sc_interval *a,
			      bool a_is_host, const struct sc_interval *b, bool b_is_host);

#endif
