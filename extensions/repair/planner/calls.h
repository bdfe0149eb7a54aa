/* Calls: where the calls of a line begin and end that calls the program's own functions.
 *
 * What an edit puts before or after such a line happens once for each call, not beside each op of
 * it. A call begins with the first op that a thread makes from the line, and ends with its last one
 * before an op from elsewhere; an op without a stack belongs to the call if it may. Of two calls
 * with nothing between no trace shows where the second begins: they are one here, and who asks has
 * to count on each op between the two ends as the begin of another one.
 * Costs one read of the trace for all lines that are new; they are kept.
 */
#pragma once

#include <stdbool.h>
#include "extensions/repair/planner/place.h"

struct sc_line_call {
	uint64_t begin, end; /* places of its first and of its last record */
	uint32_t uses;	     /* the last of them, + 1 */
	uint32_t next;	     /* of the same thread, + 1 */
};

/* The last operation in a stream that one call made by the way of the edit's own operation. */
struct sc_line_use {
	uint64_t place;
	uint32_t stream;
	uint32_t before; /* of the same call: the one before, + 1 */
};

struct sc_line_calls {
	struct sc_edit_place place;
	SC_VECTOR(struct sc_line_call) list; /* by their begin */
	SC_VECTOR(struct sc_line_use) uses;
	struct sc_u64_map first; /* of each thread: its first call, + 1 */
	struct sc_u64_map leads; /* of each stack: what it has to do with the line, while the trace
				    is read */
	bool is_read;
};

/* Sets which of some stacks lead through the line of a place, whose code may be spread over several
 * return addresses by functions that were inlined. */
typedef void sc_calls_from(void *data, const struct sc_edit_place *place, const uint32_t *stacks,
			   size_t count, bool *out);

struct sc_calls {
	SC_VECTOR(struct sc_line_calls *) list; /* owned */
	SC_VECTOR(uint32_t) stacks; /* of the trace, each once, once a line was asked for */
	sc_calls_from *from;	    /* NULL: a line is one return address */
	void *data;		    /* borrowed: of that */
};

/* The calls of a place's line, which sc_calls_read() reads; valid until sc_calls_fini(). */
const struct sc_line_calls *sc_calls_want(struct sc_calls *c, const struct sc_edit_place *place);
/* Reads the trace for the lines that are new; it has no splice. */
void sc_calls_read(struct sc_calls *c, struct sc_reader *r);
/* The call that a thread is in at a place; NULL: none. Places are asked about in order; `cursors`
 * is the caller's, empty at first. */
const struct sc_line_call *sc_line_call_at(const struct sc_line_calls *l,
					   struct sc_u64_map *cursors, uint32_t thread,
					   uint64_t place);
void sc_calls_fini(struct sc_calls *c);
