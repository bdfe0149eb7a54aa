/* Definitions: the strings, stacks, functions, names and maps of a trace, by id.
 *
 * Copied into an arena, each text and each map once, so memory is bounded by the trace's size
 * whatever ids it uses; with `most` by that. Looking up is one hash probe. A later definition of an
 * id replaces the earlier one.
 */
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "base/vector.h"
#include "trace/reader.h"

/* What a definition takes on the average, at most. */
#define SC_DEFINITION_BYTES 128

struct sc_definitions {
	struct sc_arena arena;
	struct sc_u64_map strings;   /* id → char * */
	struct sc_u64_map functions; /* id → char * */
	struct sc_u64_map names;     /* what it names and id → char * */
	struct sc_u64_map stacks;    /* id → struct sc_stack_definition * */
	SC_VECTOR(struct sc_map) maps;
	struct sc_u64_map texts;      /* hash of a text → char * */
	struct sc_u64_map known_maps; /* hash of a map → its number, from 1 */
	size_t most; /* ids of each kind, and of all together SC_DEFINITION_BYTES each; 0: all */
	uint64_t dropped; /* definitions for which there was no room */
};

struct sc_stack_definition {
	const char *python; /* lines of Python above the frames, or "" */
	size_t count;
	const uint64_t
		*frames; /* in the arena; those of the stack below, if it has none of its own */
};

/* An empty set is all zero. */
void sc_definitions_fini(struct sc_definitions *d);
/* The slow part of sc_definitions_note. */
void sc_definitions_add(struct sc_definitions *d, const struct sc_record *record);
/* Takes up the record if it defines something. */
static inline void sc_definitions_note(struct sc_definitions *d, const struct sc_record *record)
{
	if (sc_op_kind_class(record->op.kind) == SC_CLASS_DEFINE)
		sc_definitions_add(d, record);
}
/* The text of an id in one of the maps, or NULL. */
const char *sc_definitions_text(const struct sc_u64_map *m, uint64_t id);

/* The stack of an id, or NULL. */
const struct sc_stack_definition *sc_definitions_stack(const struct sc_definitions *d, uint32_t id);

/* The key of a name: streams, events and threads are numbered apart. */
static inline uint64_t sc_definitions_name_key(uint64_t what, uint32_t id)
{
	return what << 32 | id;
}
