/* Asked: the follower's side of extensions/live/ask.h.
 *
 * It looks at requests between two rounds, and never waits for who asks. Each answer is made by a
 * child, which has a copy of all that the follower knows, so that nothing is held up. While such a
 * child makes a report no space is given back.
 */
#pragma once

#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "extensions/live/ask.h"
#include "extensions/live/top_process.h"

#define SC_LIVE_ASKERS 16 /* at a time; others are not accepted meanwhile */

struct sc_live_asker {
	int fd;	     /* owned; -1: nobody */
	pid_t child; /* that makes an answer; 0: none */
	enum sc_ask_kind kind;
	int process;	  /* of top */
	int text, places; /* owned: memory that the child writes to; -1: none */
};

/* Who follows the traces. */
struct sc_live_known {
	/* A process that is followed, and the path of its trace; NULL: it is not. */
	struct sc_top_process *(*find)(void *data, int process, char path[PATH_MAX]);
	/* Reports of such traces, in a child; returns the exit code. NULL: it makes no reports. */
	int (*report)(void *data, const struct sc_options *o, char (*paths)[PATH_MAX],
		      size_t count);
	void *data; /* borrowed */
};

struct sc_live_asked {
	int fd;		    /* owned: listens; -1: it does not */
	const char *folder; /* borrowed */
	struct sc_live_known known;
	struct sc_live_asker askers[SC_LIVE_ASKERS];
};

/* Begins to listen in the folder of the traces; where that fails nobody is answered. */
void sc_live_asked_init(struct sc_live_asked *a, const char *folder,
			const struct sc_live_known *known);
/* What to wait for; returns how many, SC_LIVE_ASKERS + 1 at most. */
unsigned sc_live_asked_polls(const struct sc_live_asked *a, struct pollfd *out);
/* Takes requests, begins what was asked for, answers what is made. Now and then. */
void sc_live_asked_step(struct sc_live_asked *a, uint64_t now_ns);
/* True while a child reads a trace of which space would be given back. */
bool sc_live_asked_lends(const struct sc_live_asked *a);
/* Ends what is being made; a report is waited for. */
void sc_live_asked_fini(struct sc_live_asked *a);
