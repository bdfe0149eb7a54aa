/* Causes: which findings follow from one missing order.
 *
 * One missing wait often gives several findings: two buffers that the host reads, a read and the
 * free after it. The one whose second operation comes first leads; the others follow from it. B
 * follows A, its leader, if the repair that A names would order the two operations of B as well:
 *
 *	the first of B is in the stream of the first of A, and is covered by what A waits for
 *	the second of A is the second of B, or is ordered before it
 *
 * A is not less sure than B, not less severe, and was seen as often at least; and B was met in no
 * other streams than its example, unless A was too. Naive form: each pair is compared. Here the
 * findings of a first stream are sorted by the call of the second operation, and each is compared
 * with the first few leaders that cover it, of the same second stream or thread, and of any; so
 * many findings take no longer than their sorting.
 * Of two nodes of one launch of a graph A names a dependency, from its first node to its second. B
 * follows if its first node is A's, or is complete before that starts, and its second node is A's,
 * or starts after that is complete. Graphs may be gone at the end, so this is asked when a finding
 * is filed, of the last ones of the same launch.
 * A module that is unloaded too early (SC-144) and a program that ends while one stream still has
 * work (SC-401) are found where the host should have waited before: as its reads they lead, and
 * follow. With several such streams each has to be waited for, and the end of the program stands
 * for itself.
 * Findings about hand-overs in memory have no leader; what lacks a kernel's code leads nothing,
 * since such findings are grouped by their places.
 */
#pragma once

#include "analyzer/finding/findings.h"
#include "analyzer/graph/graph.h"
#include "analyzer/order/step.h"
#include "analyzer/order/stream.h"
#include "base/vector.h"

/* When the two operations of a finding were. */
struct sc_moment {
	struct sc_interval first; /* without its clock */
	struct sc_interval second;
	uint64_t launch;   /* of two nodes: the graph's, + 1; else 0 */
	uint32_t nodes[2]; /* these */
};

/* The fix of the leader orders what the follower is about; by their moments, from 1. */
struct sc_moment_lead {
	uint32_t leader, follower;
};

/* All zero before the first finding. */
struct sc_moments {
	SC_VECTOR(struct sc_moment) list;	/* the clocks are owned */
	SC_VECTOR(struct sc_moment_lead) leads; /* of two nodes */
};

/* Remembers when the operations of a finding were, which is in the list of findings. */
void sc_moments_note(struct sc_moments *m, struct sc_finding *f, const struct sc_interval *first,
		     const struct sc_interval *second);
/* The same of two nodes of one launch of the graph. */
void sc_moments_note_nodes(struct sc_moments *m, struct sc_finding *f, const struct sc_graph *g,
			   uint32_t first, uint32_t second);
/* Sets the leaders of all findings; they are sorted. A leader that names an event gets the latest
 * of the first operations of its followers to record it after. */
void sc_causes_find(const struct sc_moments *m, struct sc_findings *all);
void sc_moments_fini(struct sc_moments *m, struct sc_clock_pool *pool);
