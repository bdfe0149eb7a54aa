/* The naive model: every ordering rule as explicit edges, every question as a path.
 *
 * Written from docs/ordering.md alone, with nothing of the engine: points are nodes, rules add
 * edges, and a transitive closure in O(n^3) answers. For streams, events, events of whole contexts,
 * legacy and per-thread streams, host waits, synchronous copies, graphs, peer copies, callbacks,
 * words in memory and external semaphores that streams wait for, and operations of MPI; host
 * threads that release and acquire objects, begin and are joined.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "trace/op.h"

struct naive; /* opaque */

/* A thing that touches memory: the interval of an op, of a host access, of a source read. */
struct naive_thing {
	size_t op; /* index of its op */
	bool is_source_read;
};

/* Builds the model of a script; op i has sequence number i. `is_strict`: host threads are ordered
 * only by what synchronizes them (T-3), else as they stand. `by_luck`: the answers that allocators
 * get are known, too (E-6). */
struct naive *naive_new(const struct sc_op *ops, size_t count, bool is_strict, bool by_luck);
void naive_free(struct naive *n);
const struct naive_thing *naive_things(const struct naive *n, size_t *count);
/* True if there is a path from the end of thing a to the start of thing b. */
bool naive_before(const struct naive *n, size_t a, size_t b);

/* An op as one end of a path: its work, or what the host does once its call has returned. */
struct naive_end {
	size_t op;
	bool is_return;
};
/* True if there is a path from the end of a to the start of b, or both are one point. */
bool naive_leads(const struct naive *n, struct naive_end a, struct naive_end b);
