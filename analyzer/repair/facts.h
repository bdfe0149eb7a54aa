/* Facts: what a plan has to know of a trace besides its findings; read once. */
#ifndef SC_ANALYZER_REPAIR_FACTS_H
#define SC_ANALYZER_REPAIR_FACTS_H

#include <stdbool.h>
#include "base/map.h"
#include "base/vector.h"
#include "trace/reader.h"

struct sc_known_record {
	uint64_t place;
	uint32_t stream, event, stack;
};

struct sc_trace_facts {
	SC_VECTOR(struct sc_known_record) records; /* of events, in order; none in a capture */
	struct sc_u64_map functions; /* place + 1 of the op that enqueued an execution's function */
	struct sc_u64_map destroyed; /* place + 1 of the end of an event */
	uint64_t count;		     /* records of the trace */
	uint64_t slots;		     /* places of the trace */
};

void sc_facts_read(struct sc_trace_facts *f, struct sc_reader *r);
/* The first record of an event in a stream between two places, that may still be waited for at the
 * second; or NULL. */
const struct sc_known_record *sc_facts_record(const struct sc_trace_facts *f, uint32_t stream,
					      uint64_t after, uint64_t before);
void sc_facts_fini(struct sc_trace_facts *f);

#endif
