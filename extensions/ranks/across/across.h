/* Across: the processes of one run compared by their traces.
 *
 *	struct sc_across *a = sc_across_new();
 *	sc_across_add(a, reader);		for each trace, in any order
 *	sc_across_compare(a);
 *	remarks = sc_across_remarks_of(a, i, &count);	of the ith trace, for its analysis
 *
 * Each trace is read once, and only what it says of messages is kept, in a file without a name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "extensions/ranks/across/remark.h"
#include "trace/reader.h"

struct sc_across;
struct sc_across_log;

/* NULL: no file can be made for what is kept (errno says why). */
struct sc_across *sc_across_new(void);
void sc_across_free(struct sc_across *a);
/* Reads a trace from where its reader is to its end. Returns how many events it has, or -errno. */
int64_t sc_across_add(struct sc_across *a, struct sc_reader *r);
/* The log, if the trace that was read last has handles of memory or events that processes share: it
 * is to be read once more, with what it does to them (extensions/ranks/shared). NULL: it has
 * none. */
struct sc_across_log *sc_across_shares(struct sc_across *a);
/* Compares them. Returns 0 or -errno. */
int sc_across_compare(struct sc_across *a);
/* Calls `see` for each operation that a remark names. */
void sc_across_places(const struct sc_across *a,
		      void (*see)(void *data, uint32_t process, uint64_t sequence), void *data);
/* Puts the places of operations in other traces into words (extensions/ranks/across/remark.h). */
void sc_across_name(struct sc_across *a, sc_across_place name, void *data);
/* What there is to say of a trace; borrowed. */
const struct sc_remark *sc_across_remarks_of(struct sc_across *a, unsigned process, size_t *count);

/* What was done. */
struct sc_across_tally {
	uint64_t events, pairs;
	uint64_t left_out;	 /* remarks */
	uint64_t uses_forgotten; /* of shared memory (sharing.h) */
	size_t held_most;	 /* messages in memory at one time */
	bool is_double;		 /* two traces are of one rank: nothing was compared */
};
struct sc_across_tally sc_across_tally(const struct sc_across *a);
