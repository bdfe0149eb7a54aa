/* Executed launches: which bytes they touched, where the simulated device executed them.
 *
 * Such records come later than the launches that they are about, so all of a trace are read when
 * the first one says that there are some.
 */
#ifndef SC_ANALYZER_ACCESS_EXECUTED_H
#define SC_ANALYZER_ACCESS_EXECUTED_H

#include <stdbool.h>
#include "base/map.h"
#include "base/vector.h"
#include "trace/reader.h"

/* The accesses of a launch: so many from this one on. */
struct sc_executed_launch {
	size_t first;
	size_t count;
	bool is_unclear;
};

/* An empty one is all zero. */
struct sc_executed {
	struct sc_u64_map by_launch; /* sequence number → number of its launch + 1 */
	SC_VECTOR(struct sc_executed_launch) launches;
	SC_VECTOR(struct sc_access) accesses; /* `how` is SC_HOW_EXECUTION */
	bool is_read;
};

/* Reads all such records of the trace; once. Attachments of the reader's record end. */
void sc_executed_read(struct sc_executed *e, struct sc_reader *r);
/* What a launch touched, borrowed; NULL: it is not known. */
const struct sc_access *sc_executed_find(const struct sc_executed *e, uint64_t launch,
					 size_t *count);
void sc_executed_fini(struct sc_executed *e);

#endif
