/* Executed launches: which bytes they touched, where the simulated device executed them or the GPU
 * recorded them, and launches of libraries' functions, whose operands are documented.
 *
 * Such records come later than the launches that they are about, so all of a trace are read when
 * the first one says that there are some.
 */
#pragma once

#include <stdbool.h>
#include "base/assert.h"
#include "base/map.h"
#include "base/vector.h"
#include "trace/reader.h"

/* The accesses of a launch, or of a node of a graph in one launch: so many from this one on. */
struct sc_executed_launch {
	uint64_t launch; /* its sequence number */
	size_t first;
	size_t count;
	bool is_unclear;
	bool is_documented;
	bool is_partial; /* it may have touched more */
	uint8_t source;	 /* enum sc_bytes_source */
	uint8_t rank;	 /* how much is said, for records of one launch */
	uint32_t node;	 /* + 1, 0: all of the launch */
	size_t next;	 /* + 1: another node of the same launch */
};

/* An empty one is all zero. */
struct sc_executed {
	struct sc_u64_map by_launch; /* sequence number → number of its launch + 1 */
	struct sc_u64_map by_graph;  /* of a graph's launch: number of its last node + 1 */
	struct sc_u64_map complete;  /* of a graph's launch: not 0 if all its kernels ended */
	SC_VECTOR(uint64_t) ended;   /* those launches, in the order of their records */
	SC_VECTOR(struct sc_executed_launch) launches;
	SC_VECTOR(struct sc_access)
	accesses;		    /* `how` is SC_HOW_EXECUTION, _RECORDED or _DOCUMENTED */
	struct sc_u64_map captured; /* sequence number of a captured launch → hash of what it was */
	SC_VECTOR(uint64_t) captures; /* these launches, in order */
	struct sc_u64_map functions;  /* sequence number of a launch → string id of the function
				       * that is documented */
	SC_VECTOR(uint64_t) named;    /* these launches, in the order of their records */
	bool is_read;
	size_t settled; /* what was left the last time that some was forgotten */
};

/* Reads all such records of the trace; once. Attachments of the reader's record end. */
void sc_executed_read(struct sc_executed *e, struct sc_reader *r);
/* Takes up one record of them, or of a captured launch, instead; the caller sees to it that those
 * of a launch come before it is looked for. */
void sc_executed_take(struct sc_executed *e, const struct sc_record *r);
/* What a launch touched, borrowed; NULL: it is not known. `how` can be read of none, too. A
 * documented launch with none is one that another launch of the same call stands for. */
const struct sc_access *sc_executed_find(const struct sc_executed *e, uint64_t launch,
					 size_t *count);
/* True if the launch may have touched more than that. */
bool sc_executed_is_partial(const struct sc_executed *e, uint64_t launch);
/* What else is known of a launch's record: bits of enum sc_bytes_source. */
unsigned sc_executed_source(const struct sc_executed *e, uint64_t launch);
/* The same by number + 1, 0: none. */
const struct sc_access *sc_executed_at(const struct sc_executed *e, size_t number, size_t *count);
/* The same for a node of a graph: what is documented of the captured launch that made it, if it
 * still launches that. */
const struct sc_access *sc_executed_captured(const struct sc_executed *e,
					     const struct sc_record *node, size_t *count);
/* The nodes of which a launch of a graph has records: a number + 1 for sc_executed_node. False:
 * what its nodes touched is not known, nor whether it is what they did before. */
bool sc_executed_graph(const struct sc_executed *e, uint64_t launch, size_t *first);
/* The node with that number + 1; `next` leads on. */
static inline const struct sc_executed_launch *sc_executed_node(const struct sc_executed *e,
								size_t number)
{
	sc_assert(number > 0 && number <= e->launches.count);
	return &e->launches.items[number - 1];
}
void sc_executed_fini(struct sc_executed *e);
