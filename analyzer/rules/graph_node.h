/* Checks of the nodes of a launch, one by one; made when the uses of the nodes were collected,
 * unless said otherwise. */
#pragma once

#include "analyzer/access/replay.h"
#include "analyzer/model/model.h"

/* All that follows, of the node at a place. */
void sc_graph_node_check(struct sc_analysis *a, const struct sc_step *step,
			 const struct sc_replay *r, uint32_t place);
/* Shows the operands of a node that copies or fills to a check, until it returns true: as uses that
 * read and write, with a SC_SIDE_* for what the node does there. */
void sc_graph_node_visit(struct sc_analysis *a, const struct sc_step *step,
			 const struct sc_graph_node *n,
			 bool (*check)(struct sc_analysis *a, const struct sc_step *step,
				       const struct sc_graph_node *n, const struct sc_access *use,
				       uint8_t mode));
/* SC-136: operands of copies and fills that were freed. */
void sc_graph_node_check_operands(struct sc_analysis *a, const struct sc_step *step,
				  const struct sc_graph_node *n);
/* SC-136: destroyed events, at each launch. */
void sc_graph_node_check_events(struct sc_analysis *a, const struct sc_step *step,
				const struct sc_graph *g);
/* SC-128, SC-142: also when rights changed since. */
void sc_graph_node_check_rights(struct sc_analysis *a, const struct sc_step *step,
				const struct sc_replay *r, uint32_t place);

/* A finding about one node of a launch. */
struct sc_finding sc_graph_node_finding(const struct sc_graph_node *n, unsigned rule,
					const struct sc_step *step);
/* SC-136: of one about an operand of a copy or fill, that allocation `begun` - 1 was. */
struct sc_finding sc_graph_node_operand(const struct sc_graph_node *n, const struct sc_step *step,
					const struct sc_access *use, uint8_t mode, uint64_t begun);
/* The node as a record, whose parts are borrowed from it. */
struct sc_record sc_graph_node_record(const struct sc_graph_node *n);
/* The op by which the node got what it works on: its capture, or the call that added or changed it;
 * where that is not known, the instantiation. */
uint64_t sc_graph_node_given(const struct sc_graph_node *n);
/* SC-136: how sure it is that a kernel node uses the memory that the word at `offset` of its
 * parameters led to. False: it does not, or the word stands in a table. */
bool sc_graph_node_judge_gone(struct sc_analysis *a, const struct sc_graph_node *n, uint32_t offset,
			      const struct sc_gone *gone, struct sc_finding *f);
/* SC-136: of a use that is certain, if other memory has that place, or may have. */
void sc_graph_node_doubt_gone(struct sc_analysis *a, bool is_replaced, struct sc_finding *f);
/* SC-136: files it; op `ended` - 1 ended the memory. */
void sc_graph_node_file_gone(struct sc_analysis *a, const struct sc_graph_node *n, uint64_t ended,
			     struct sc_finding *f);
