/* Disk: a trace judged while it is written, and its space given back (option live-disk).
 *
 * Two positions in the trace: as far as its records have settled (trace/follow.h), and as far as
 * they are judged. A launch whose bytes become known later (executed, recorded, documented) is not
 * judged before its record has come, nor a host read before it may have turned out to be a poll; a
 * quarter of the space, some 100,000 launches or 10 s later at most. A further quarter stays for
 * findings to show. What is older is given back, one look after it became `leaving`: the caller
 * tells in between what it has found there, so that it is not lost if this process is killed.
 * Space is meant as the trace's share of option live-disk (extensions/live/shares.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "analyzer/analysis.h"
#include "base/vector.h"
#include "trace/follow.h"
#include "trace/giver.h"

/* A record that is not judged before something is known of it. */
struct sc_disk_hold {
	uint64_t sequence;
	uint64_t until_ns; /* by the time that this process was awake */
	bool is_over;
};

struct sc_disk {
	uint64_t bound;		  /* the share of this trace */
	struct sc_follow *follow; /* borrowed, these three */
	struct sc_reader *reader;
	struct sc_analysis *analysis;
	struct sc_giver giver;
	SC_VECTOR(struct sc_disk_hold) holds; /* by sequence */
	size_t first;			      /* of them that is not over */
	SC_VECTOR(uint64_t) ahead;	      /* records about other ones, as they were seen */
	SC_VECTOR(uint64_t) marks;	      /* places where records begin, some distance apart */
	bool bytes_follow;		      /* launches have such records */
	bool is_stopped;		      /* space cannot be given back */
	bool gives_all;	   /* nothing stays: others need the space, and the process has ended */
	bool is_lent;	   /* set by the caller: somebody else reads the trace, so nothing is given
			    * back */
	uint64_t judged;   /* slots */
	uint64_t leaving;  /* slots that the next look gives back; 0: none */
	uint64_t taken_ns; /* when the last part was taken back; 0: its hole is made */
	uint64_t awake_ns, looked_ns;
	uint64_t failed_ns; /* since when the trace cannot be read; 0: it can */
};

/* Returns 0 or -errno. */
int sc_disk_open(struct sc_disk *d, const char *path, uint64_t bound, struct sc_follow *f,
		 struct sc_reader *r, struct sc_analysis *a);
/* Reads, judges, gives back. True if it should look again at once. */
bool sc_disk_look(struct sc_disk *d, uint64_t now_ns);
/* The program has ended: nothing is waited for, and the rest is judged. */
void sc_disk_settle(struct sc_disk *d);
/* The same, and the analysis is ended. */
void sc_disk_finish(struct sc_disk *d);
/* The share of this trace in what all may use has changed; `gives_all`: as above. */
void sc_disk_share(struct sc_disk *d, uint64_t bytes, bool gives_all);
void sc_disk_close(struct sc_disk *d);
