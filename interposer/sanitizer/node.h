/* Nodes of graphs that are about to run. */
#pragma once

#include "interposer/sanitizer/api.h"

/* Number of a node in the trace, or UINT32_MAX. To be called for each node of a launch, of whatever
 * kind. The callback names the node of the graph that was instantiated, or, as for graphs that
 * PyTorch captures, of a copy that nobody else has seen. The nodes of a chain can only begin in its
 * order; if one does not fit, no later one of this launch is known by its place. */
uint32_t sc_node_number(const struct sc_sanitizer_node *n);
