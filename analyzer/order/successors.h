/* Successors: which streams and threads come to know that an op is complete, when, and by which
 * call.
 *
 * The ordering engine is run once more and asked after every record, so the successors are its own
 * answers and not a second opinion. A lane (a stream, or the host) is named once: at the first op
 * that comes after the followed one. Costs one run of the engine over the trace.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/finding/settings.h"
#include "base/map.h"
#include "base/vector.h"

struct sc_reader;

struct sc_successor {
	uint64_t sequence; /* of the op from which on the lane comes after the followed one */
	uint32_t stream;   /* 0 = the host */
};

struct sc_successors {
	SC_VECTOR(struct sc_successor) links; /* in trace order */
	struct sc_u64_map known;	      /* streams that have a link, and 0 for the host */
	uint32_t stream;		      /* of the followed op */
	bool is_followed;		      /* it was met, and is work of the device */
};

/* Follows op `first` (a sequence number) to the end of the trace. */
void sc_successors_find(struct sc_successors *t, struct sc_reader *r,
			const struct sc_analysis_settings *settings, uint64_t first);
void sc_successors_fini(struct sc_successors *t);
