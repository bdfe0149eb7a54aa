/* Giver: gives the disk space of the judged part of a trace back while its program writes on.
 *
 *	sc_giver_take(&g, slots);	all before has been judged: what is needed later is kept
 *	sc_reader_give(reader, &g.rest, g.taken);
 *	sc_giver_punch(&g);		some time later: the space is free
 *
 * In between the recorder learns that it must not touch these records any more: a late result of a
 * call, the flag of a poll. Definitions of strings, stacks, kernels, modules and the like are kept,
 * and of streams, allocations and names as many as fit into `most` bytes.
 * While a giver is open it holds a lock of the file, by which the recorder knows that it lives.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "trace/given.h"
#include "trace/remains.h"
#include "trace/window.h"

struct sc_giver {
	struct sc_window window; /* owns the file; -1: not open */
	struct sc_remains rest;
	struct sc_trace_header *head; /* owned mapping of the header page */
	uint64_t most;		      /* bytes of the rest, but for what is always needed */
	uint64_t taken;		      /* slots */
	uint64_t records;
	uint64_t punched; /* bytes of the file from the header on */
	uint64_t freed;	  /* bytes */
};

/* Opens a trace that has a header. Returns 0 or -errno. */
int sc_giver_open(struct sc_giver *g, const char *path, uint64_t most);
/* So much of the disk the process may use from here on; the rest is a part of that. */
void sc_giver_share(struct sc_giver *g, uint64_t bytes, uint64_t most);
void sc_giver_close(struct sc_giver *g);
/* Bytes that the trace takes now. */
uint64_t sc_giver_used(const struct sc_giver *g);
/* Keeps what is needed of the records before this slot, where one begins, and publishes that the
 * others are gone. Returns 0 or -errno. */
int sc_giver_take(struct sc_giver *g, uint64_t slots);
/* No space is given back from here on: the program waits for none. */
void sc_giver_stop(struct sc_giver *g);
/* True while threads of the program wait for space. */
bool sc_giver_is_awaited(const struct sc_giver *g);
/* Frees the space of what was taken. Returns 0 or -errno. */
int sc_giver_punch(struct sc_giver *g);
