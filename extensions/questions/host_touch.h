/* What the device does with memory that host code can use, and when the host knows that it is done.
 *
 * The recorder sees what host code touches while the device works with that memory; once a wait has
 * ended, it looks away. So a trace does not say what the host does after a wait, and a wait that
 * comes first to tell the host that such work is done may be needed, whatever the findings say.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/analysis.h"
#include "analyzer/order/order.h"
#include "base/map.h"
#include "base/vector.h"
#include "trace/reader.h"

/* Which work touches memory of the host; the same for all analyses of a trace. */
struct sc_host_touch {
	struct sc_u64_map chunks; /* of addresses: enum of what is there, in host_touch.c */
	struct sc_u64_map open;	  /* kernels that use addresses that are not known */
	bool reads_pageable;	  /* kernels may use any memory of the process (M-9) */
	bool has_variables;	  /* managed ones, which kernels use without an address */
	bool has_any;		  /* there is memory that both can use */
	bool has_huge;		  /* one piece of it is not in `chunks` as a whole */
	struct sc_u64_map listed; /* by sequence: kernels and batches that get such an address */
	struct sc_u64_map execs;  /* executable graphs with such a node */
};

void sc_host_touch_find(struct sc_host_touch *t, struct sc_reader *r, const struct sc_analysis *a);
void sc_host_touch_fini(struct sc_host_touch *t);

struct sc_host_touch_work {
	uint64_t sequence, position;
	uint32_t lane;
};

/* One analysis: for each such work when the host came to know of it. */
struct sc_host_known {
	const struct sc_host_touch *touch; /* borrowed */
	SC_VECTOR(struct sc_host_touch_work) pending;
	struct sc_u64_map known; /* sequence numbers of work to those of waits, + 1 */
	uint64_t version;	 /* of the host's clock */
};

/* For a watch of an analysis (struct sc_watch). */
void sc_host_known_see(void *data, struct sc_order *o, const struct sc_step *step);
/* How much work the host knows later, or never, although it knew before; *first gets the first. */
uint64_t sc_host_known_later(const struct sc_host_known *before, const struct sc_host_known *now,
			     uint64_t *first);
void sc_host_known_fini(struct sc_host_known *k);
