/* Bodies: which bodies of conditional nodes ran in a launch (G-9).
 *
 * That is not recorded; but a kernel of a body that touched memory when the device executed the
 * launch ran, and with it all nodes of its body, and what holds that. A body none of whose kernels
 * touched anything may have run or not.
 */
#pragma once

#include "analyzer/access/executed.h"
#include "analyzer/graph/graph.h"

/* Sets `has_run` of the nodes of bodies for the launch to come on, whose `executed` is set; those
 * that change become fresh unless the graph was not launched before (`is_first`). Costs a look at
 * each node. */
void sc_graph_set_bodies(struct sc_graph *g, const struct sc_executed *executed, bool is_first);
