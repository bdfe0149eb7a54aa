/* Accesses: which bytes an op reads and writes, on which side (0.4, 4.7, M-1).
 *
 * Copies and fills say so; kernels too if a footprint is attached, else launch.h finds it.
 */
#ifndef SC_ANALYZER_ACCESS_ACCESS_H
#define SC_ANALYZER_ACCESS_ACCESS_H

#include <stdbool.h>
#include "analyzer/access/kernels.h"
#include "analyzer/access/use.h"
#include "analyzer/order/order.h"
#include "trace/reader.h"

/* Fills `out` with the uses of an op that takes effect now. */
void sc_access_collect(struct sc_memory_map *m, struct sc_kernels *kernels,
		       const struct sc_record *record, const struct sc_step *step, sc_uses *out);
/* Counts how a launch is known; the least sure of its uses says so. */
void sc_access_count(struct sc_kernels *kernels, const struct sc_op *op, const sc_uses *uses);

#define SC_ACCESS_AHEAD 4

/* Fetches into the cache what sc_access_collect will look at: the first so many accesses of a
 * record that is about to be ordered. */
void sc_access_prefetch(struct sc_memory_map *m, const struct sc_record *record);

#endif
