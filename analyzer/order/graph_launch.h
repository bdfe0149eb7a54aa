/* Launches of graphs: launches of one executable graph are serialized (G-6), its event nodes
 * exchange orders with the outside (G-9), its host nodes are callbacks.
 *
 * A launch is an op of its stream. The nodes before a node that records an event form a part of the
 * launch that others may wait for: that part has a lane of its own.
 */
#pragma once

#include "analyzer/order/state.h"
#include "analyzer/order/step.h"

struct sc_record;

/* Takes an instantiation, or a node of one. */
void sc_graph_launch_instantiate(struct sc_order *o, const struct sc_record *record);
void sc_graph_launch_node(struct sc_order *o, const struct sc_record *record);
/* The launch as an op of its stream. */
void sc_graph_launch(struct sc_order *o, struct sc_step *step);
/* An upload comes after all earlier launches and before all later ones (G-7). */
void sc_graph_launch_upload(struct sc_order *o, struct sc_step *step);
/* The handle was destroyed and nothing refers to its uses any more. */
void sc_graph_launch_forget(struct sc_order *o, struct sc_exec *e);
