/* Near misses inside graphs: how far the edges of a graph order the two sides of a race. */
#pragma once

#include <stdbool.h>
#include "analyzer/finding/finding.h"
#include "analyzer/order/order.h"
#include "analyzer/memory/touch.h"

/* Two nodes of one launch: where the order gets lost, what comes before both, or after both. Fills
 * reach, reach_op. Costs a few passes over the nodes. */
void sc_near_miss_inside(const struct sc_touch *earlier, const struct sc_touch *later,
			 struct sc_finding *f);
/* One side is a node, the other is not of that launch: an event node orders the one, but its place
 * in the graph is not where it should be. Fills reach, reach_op and the fix; false if there is
 * none. */
bool sc_near_miss_outside(struct sc_order *o, const struct sc_touch *earlier,
			  const struct sc_touch *later, struct sc_finding *f);
