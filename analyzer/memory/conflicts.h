/* Conflicts: the earlier touches that a new touch collides with, each once.
 *
 * Naive form: a list that is searched before each addition. A list of more than a few also has a
 * table, so that a write beside N readers does not cost a comparison for each pair of readers.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/memory/notes.h"
#include "analyzer/memory/touch.h"

/* An earlier touch that a new one collides with; first and end are the bytes in conflict. */
struct sc_conflict {
	struct sc_touch earlier; /* its note is a reference of its own */
	uint64_t first, end;
	bool is_sure; /* the bytes certainly meet */
	uint64_t key; /* hash of what makes two conflicts the same */
};

/* An empty list is all zero; a vector of conflicts to those who only read it. */
typedef struct {
	struct sc_conflict *items; /* owned */
	size_t count, room;
	uint32_t *slots; /* owned: a hash table of indices + 1, or NULL */
	size_t slot_count;
} sc_conflicts;

/* Adds some bytes, at least one, to the entry of the touch's op, or adds an entry. */
void sc_conflicts_add(sc_conflicts *list, const struct sc_touch *earlier, uint64_t first,
		      uint64_t end, bool is_sure);
/* Keeps one touch of each lane: the surest, then the newest. */
void sc_conflicts_keep_best(sc_conflicts *list, const struct sc_touch *t);
/* Drops the references of conflicts and empties the list. */
void sc_conflicts_clear(sc_conflicts *list, struct sc_notes *notes);
