/* Follow: how much of a trace that its program still writes may be read for good.
 *
 * A record may be read once it is committed and its call has returned, since its result changes
 * until then; and all before it may be read. A wait's beginning, a message, and a call that has not
 * returned for a second, hold nothing up: they are read as pending, as in the trace of a program
 * that was killed. A host read that may turn out to be a poll is pending, too, if the caller wants
 * that. What may change after that (a result, the flag of a poll) is known from the trace only when
 * it has ended. The file is read by pread: it may be cut short while it is read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "trace/format.h"

/* So long a call that has not returned holds others up. */
#define SC_FOLLOW_PATIENCE_NS UINT64_C(1000000000)

struct sc_follow {
	int fd;		      /* owned */
	uint64_t settled;     /* slots from the start that may be read */
	uint64_t written;     /* slots that were reserved when it was looked at last */
	uint64_t most;	      /* set by the caller: slots that one look adds, about; 0: all */
	uint64_t patience_ns; /* how long a call may hold up all others; the caller may change it */
	uint64_t held_ns; /* since when the record behind them has held up all others; 0: nothing */
	uint64_t held_end; /* what was reserved by then has been waited for as long */
	bool is_closed;	   /* the program ended its trace */
	bool has_failed;   /* the last look could not read all that was reserved */
	bool is_over;	   /* set by the caller: it ended, so nothing is waited for */
	bool passes_holes; /* set by the caller: a record that is not committed holds up as a call
			      does */
	bool passes_messages;	/* set by a caller that looks once: calls that may wait for another
				 * process forever hold nothing up */
	struct sc_slot *buffer; /* owned */
	bool waits_for_reads;	/* set by the caller: host reads that may be polls hold up, too */
	/* Sees the first slot of each record that may be read, and its number; NULL: nobody does.
	 */
	void (*see)(void *data, const struct sc_slot *slot, uint64_t sequence);
	void *data; /* borrowed: of `see` */
};

/* Returns 0 or -errno; -EAGAIN: the file has no whole header yet. */
int sc_follow_open(struct sc_follow *f, const char *path);
/* Looks again, at the time `now_ns` of a clock that only grows; false if nothing was added. */
bool sc_follow_look(struct sc_follow *f, uint64_t now_ns);
void sc_follow_close(struct sc_follow *f);
