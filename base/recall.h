/* Recall: a map of what was noted last, from a number to a number; the oldest makes room.
 *
 * For what is only asked about afterwards, as objects that were destroyed: however long a run is,
 * no more than `most` entries are kept. A map and a ring of its keys; with more than SC_RECALL_FEW
 * entries they take their last size at once, so that a long run does not grow for hours. Noting
 * costs a look-up or two. Naive form: a list with the newest at its end, compared in
 * tests/unit/base/test_recall.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/map.h"
#include "base/vector.h"

#define SC_RECALL_FEW 1024

/* An empty one is all zero but for `most`, which is above 0 and does not change. */
struct sc_recall {
	size_t most;
	struct sc_u64_map map;
	SC_VECTOR(uint64_t) keys; /* by the time of their noting; a ring once it is full */
	size_t oldest;		  /* of the ring */
	uint64_t forgotten;	  /* entries that made room */
};

void sc_recall_fini(struct sc_recall *r);
/* Notes a value. A key that is there already keeps its age. True if an entry made room; `gone` (if
 * not NULL) gets its key and its value then. */
bool sc_recall_note(struct sc_recall *r, uint64_t key, uint64_t value, struct sc_map_entry *gone);
/* Address of the value, or NULL; valid until the next is noted. */
static inline uint64_t *sc_recall_find(const struct sc_recall *r, uint64_t key)
{
	return sc_u64_map_find(&r->map, key);
}
