/* Rights: which kernels may use which memory (rules 128 and 142). */
#pragma once

#include "analyzer/graph/graph.h"
#include "analyzer/model/model.h"

/* A kernel at work: the step's own, or a node of the graph that it launches; it uses a->uses. */
struct sc_worker {
	const struct sc_step *step;
	const struct sc_graph_node *node; /* NULL: the step's op */
	const struct sc_context *context; /* that it runs in */
};

static inline const struct sc_op *sc_worker_op(const struct sc_worker *w)
{
	return w->node ? &w->node->op : w->step->op;
}

/* Files a finding about one use of a kernel. */
void sc_worker_file(struct sc_analysis *a, const struct sc_worker *w, struct sc_finding *f);
struct sc_finding sc_worker_finding(const struct sc_analysis *a, unsigned rule,
				    const struct sc_worker *w, const struct sc_use *use);
/* How often a right was given or taken so far; one more. */
uint64_t sc_rights_changes(const struct sc_analysis *a);
void sc_rights_changed(struct sc_analysis *a);
/* Memory of other devices (SC-128). */
void sc_rights_check(struct sc_analysis *a, const struct sc_worker *w);
/* mapping.c: mapped memory, and its other addresses (SC-142, SC-128). */
void sc_mapping_check(struct sc_analysis *a, const struct sc_worker *w);
