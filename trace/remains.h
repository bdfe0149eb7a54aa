/* Remains: records of a part of a trace that was given back, in a file beside the trace.
 *
 * One after another in the order of the trace: their number in 8 bytes, how many slots in 8 bytes,
 * then these slots as they were. Where such a record lies is in memory, 24 bytes each; its content
 * is read when it is asked for. The file may be hostile: what makes no sense ends it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/vector.h"
#include "trace/format.h"

#define SC_REMAINS_ENDING ".rest" /* after the name of the trace */

struct sc_remains_entry {
	uint64_t sequence;
	uint64_t offset; /* of its slots in the file */
	uint64_t slots;
};

struct sc_remains {
	int fd; /* owned; -1: none */
	SC_VECTOR(struct sc_remains_entry) entries;
	uint64_t bytes;	 /* of the file */
	uint8_t *loaded; /* owned: the slots of one record */
	size_t room;	 /* there, in bytes */
	size_t at;	 /* its entry + 1; 0: none */
};

/* The file of this trace, made anew. Returns 0 or -errno. */
int sc_remains_create(struct sc_remains *r, const char *trace);
/* The file of this trace as it was left; an empty one if there is none. */
void sc_remains_open(struct sc_remains *r, const char *trace);
void sc_remains_fini(struct sc_remains *r);
/* Appends a record, the numbers of which grow. Returns 0 or -errno. */
int sc_remains_put(struct sc_remains *r, uint64_t sequence, const void *slots, uint64_t count);
/* The first entry with this number or a higher one; as many as there are if there is none. */
size_t sc_remains_find(const struct sc_remains *r, uint64_t sequence);
/* The slots of the first entry from number `*at` on and before `end`, to whose number `*at` is set;
 * NULL if there is none that can be read. They stay until another entry is loaded. */
const uint8_t *sc_remains_next(struct sc_remains *r, uint64_t *at, uint64_t end);
/* The slots of the first entry from there on that look like a record's, and how many; NULL, and
 * `*at` is `end`, if there is none. */
const uint8_t *sc_remains_next_record(struct sc_remains *r, uint64_t *at, uint64_t end,
				      uint32_t *count);
/* `n` slots from `passed` on of the entry that was loaded last; NULL if it has no such. */
const uint8_t *sc_remains_look(const struct sc_remains *r, uint32_t passed, uint32_t n);
/* The slots of an entry, until another one is loaded; NULL if they cannot be read. */
const uint8_t *sc_remains_load(struct sc_remains *r, size_t entry);
