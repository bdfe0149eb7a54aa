/* Walk: the ops of a trace that the HTML report shows, and what of the trace it does not show.
 *
 * One pass over the trace. A run with more ops than asked for is thinned evenly: one of `stride`
 * ops is shown, each one that a finding names, and the end of each shown wait. What orders ops
 * between the two sides of a finding is kept for the drawings, shown or not.
 */
#pragma once

#include <stdbool.h>
#include "base/map.h"
#include "base/vector.h"
#include "reports/report.h"

struct sc_html_op {
	struct sc_op op;
	uint64_t sequence;
	bool is_shown; /* on the overview time line */
};

/* What a lane of the overview stands for. */
struct sc_html_lane {
	uint32_t id;
	uint64_t ops;
};

struct sc_html_walk {
	SC_VECTOR(struct sc_html_op) ops; /* in trace order */
	SC_VECTOR(struct sc_html_lane) threads;
	SC_VECTOR(struct sc_html_lane) streams;
	struct sc_u64_map thread_lane, stream_lane; /* index + 1 */
	struct sc_u64_map addresses;		    /* of memory that findings are about */
	SC_VECTOR(size_t) ends;			    /* kept ops that end such memory */
	struct sc_u64_map begun; /* sequence number + 1 of waits whose beginning is shown */
	uint64_t start_ns;	 /* time of the first op that has one; 0: none has */
	uint64_t total;		 /* ops that could be shown */
	uint64_t stride;
	uint64_t first, end; /* sequence numbers between which findings need orders */
	uint64_t orders;     /* ops kept for drawings only */
	bool is_cut;	     /* too many of those */
	bool has_ranges;     /* the program named ranges of its own */
};

/* Walks the trace from its start; shows about `most` ops. */
void sc_html_walk_init(struct sc_html_walk *w, const struct sc_report *r, uint64_t most);
void sc_html_walk_fini(struct sc_html_walk *w);
/* Index of the first kept op at or after a sequence number. */
size_t sc_html_walk_find(const struct sc_html_walk *w, uint64_t sequence);
/* True for an op that exists to order others: records and waits. */
bool sc_html_is_order(const struct sc_op *op);
/* True for an op that ends memory: frees and the end of a registration. */
bool sc_html_ends_memory(const struct sc_op *op);
