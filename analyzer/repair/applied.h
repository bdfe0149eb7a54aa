/* Applied edits: the trace as the changed program would have made it. */
#ifndef SC_ANALYZER_REPAIR_APPLIED_H
#define SC_ANALYZER_REPAIR_APPLIED_H

#include "analyzer/repair/edges.h"
#include "analyzer/repair/edit.h"
#include "analyzer/repair/facts.h"
#include "analyzer/repair/place.h"
#include "analyzer/repair/price.h"
#include "trace/splice.h"

struct sc_applied_stream {
	uint32_t stream, context, thread, event;
	uint64_t at; /* place of the last first op in it */
};

/* What one edit has done so far. */
struct sc_applied_edit {
	struct sc_edit *edit;
	SC_VECTOR(struct sc_applied_stream) streams; /* of the first op, each once */
	size_t last;				     /* the one that was used last, + 1 */
	uint32_t event;				     /* existing one, recorded last */
	uint32_t event_stream;			     /* in this stream */
	uint64_t covered;			     /* place + 1 of the last work before that */
	uint32_t exec, node;			     /* of a graph: its first node met last, + 1 */
};

struct sc_applied_use {
	uint32_t edit;
	uint32_t next; /* + 1 */
	bool is_after; /* the edit's first place; else the other one */
};

struct sc_applied {
	struct sc_splice splice;
	struct sc_places places;
	SC_VECTOR(struct sc_applied_edit) edits;
	SC_VECTOR(struct sc_applied_use) uses; /* of a place by an edit: lists */
	SC_VECTOR(uint32_t) first_use;	       /* of each place, + 1 */
	struct sc_added_edges edges;
	const struct sc_trace_facts *facts; /* borrowed */
	struct sc_price price;
	uint64_t at;		   /* place of the record at hand */
	struct sc_u64_map streams; /* flags + 1, or SC_STREAM_IS_DEAD */
	struct sc_u64_map events;  /* 1: destroyed */
	uint32_t next_event;
	bool has_edges;
};

/* Lets a reader show the trace with these edits (borrowed) from its next rewind on; their flaw,
 * calls and streams are set while it is read. One that is NULL is left out. */
void sc_applied_begin(struct sc_applied *a, struct sc_reader *r, const struct sc_trace_facts *facts,
		      struct sc_edit *const *edits, size_t count, uint32_t room);
/* Lets it show the trace as it is. */
void sc_applied_end(struct sc_applied *a, struct sc_reader *r);

#endif
