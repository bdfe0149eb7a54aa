/* User objects of graphs: when their destructors run (C-8).
 *
 * The destructor of an object runs after the launches of all executable graphs that held it. An
 * executable graph holds what its graph held when it was instantiated or last updated; a recapture
 * takes all away from the graph (G-16). An object goes by the op that made it, until its destructor
 * has returned. What a graph inside of another holds is not known.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/map.h"
#include "base/vector.h"

struct sc_op;

/* Somebody holds an object from the op `since` on, until the op `until`. */
struct sc_user_hold {
	uint64_t object; /* the op that made it, + 1 */
	uint64_t since, until;
	uint64_t count;	 /* of a graph: references */
	uint32_t holder; /* the graph, or the executable graph */
	bool is_exec;
};

struct sc_user_objects {
	SC_VECTOR(struct sc_user_hold) holds;
	struct sc_u64_map running; /* object by execution of its destructor */
};

/* The graph `op->object` got, or gave back, `op->value` references to object `op->link`. */
void sc_user_objects_retain(struct sc_user_objects *u, const struct sc_op *op, uint64_t sequence);
void sc_user_objects_release(struct sc_user_objects *u, const struct sc_op *op);
/* What other ops change: instantiations and updates, recaptures, destructors. */
void sc_user_objects_note(struct sc_user_objects *u, const struct sc_op *op, uint64_t sequence);
/* Does what callback `execution` does come after the launch `sequence` of the executable graph? */
bool sc_user_objects_order(const struct sc_user_objects *u, uint32_t exec, uint64_t sequence,
			   uint32_t execution);
void sc_user_objects_fini(struct sc_user_objects *u);
