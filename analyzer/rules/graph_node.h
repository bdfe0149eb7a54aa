/* Checks of the nodes of a launch, one by one; made when the uses of the nodes were collected,
 * unless said otherwise. */
#ifndef SC_ANALYZER_RULES_GRAPH_NODE_H
#define SC_ANALYZER_RULES_GRAPH_NODE_H

#include "analyzer/access/replay.h"
#include "analyzer/model/model.h"

/* All that follows, of the node at a place. */
void sc_graph_node_check(struct sc_analysis *a, const struct sc_step *step,
			 const struct sc_replay *r, uint32_t place);
/* SC-136: operands of copies and fills that were freed. */
void sc_graph_node_check_operands(struct sc_analysis *a, const struct sc_step *step,
				  const struct sc_graph_node *n);
/* SC-136: destroyed events, at each launch. */
void sc_graph_node_check_events(struct sc_analysis *a, const struct sc_step *step,
				const struct sc_graph *g);
/* SC-128, SC-142: also when rights changed since. */
void sc_graph_node_check_rights(struct sc_analysis *a, const struct sc_step *step,
				const struct sc_replay *r, uint32_t place);

#endif
