/* Accesses: which bytes an op reads and writes, on which side (0.4, 4.7, M-1).
 *
 * Copies and fills say so; kernels too if a footprint is attached, else launch.h finds it.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/access/kernels.h"
#include "analyzer/access/launch.h"
#include "analyzer/access/use.h"
#include "analyzer/order/order.h"
#include "trace/reader.h"

/* Fills `out` with the uses of an op that takes effect now. */
void sc_access_collect(struct sc_memory_map *m, struct sc_kernels *kernels,
		       const struct sc_record *record, const struct sc_step *step, sc_uses *out);
/* What a launch touched when it was executed or recorded, or what is documented of it: of a launch
 * by itself, or of a node of a graph in its last launch. */
struct sc_touched {
	const struct sc_access *list; /* borrowed; NULL: not known */
	size_t count;
	bool is_partial; /* it may have touched more */
};

struct sc_touched sc_access_touched(const struct sc_kernels *kernels, uint64_t launch);
struct sc_touched sc_access_touched_node(const struct sc_kernels *kernels, size_t executed);
/* Whether a launch whose parameters have an address uses bytes of what is gone there: by its code
 * (launch.h), or, where that does not say, by what it touched, whatever pointer led it there. */
enum sc_use_of_dead sc_access_uses_dead(struct sc_kernels *kernels, const struct sc_record *record,
					const struct sc_touched *touched, uint32_t offset,
					const struct sc_gone *gone, struct sc_access *use);
/* Counts how a launch is known; the least sure of its uses says so. */
void sc_access_count(struct sc_kernels *kernels, const struct sc_op *op, const sc_uses *uses);

#define SC_ACCESS_AHEAD 4

/* Fetches into the cache what sc_access_collect will look at: the first so many accesses of a
 * record that is about to be ordered. */
void sc_access_prefetch(struct sc_memory_map *m, const struct sc_record *record);
