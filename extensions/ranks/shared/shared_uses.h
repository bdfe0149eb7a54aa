/* Shared uses: what one process does to memory and events that it shares with others, as events of
 * a log (extensions/ranks/across/event.h): which bytes each op uses, when its host knows that the
 * op is complete, which records of shared events cover it, which waits for such events it comes
 * after.
 *
 *	sc_shared_uses_begin(&u, log, reader);		of a trace whose ops SHARE the log has
 *	... an analysis of the reader, from its start, with u.watch ...
 *	count = sc_shared_uses_end(&u);
 *
 * The ordering engine and the access engine are those of every analysis; nothing is decided here.
 * Kept are only the ops whose end is not known to the host, and the waits.
 */
#pragma once

#include <stdbool.h>
#include "extensions/ranks/across/log.h"
#include "analyzer/clock/interval.h"
#include "analyzer/finding/settings.h"
#include "extensions/ranks/shared/shared_turns.h"
#include "base/map.h"
#include "base/vector.h"

/* A lane with uses whose end the host does not know. */
struct sc_shared_lane {
	uint32_t lane;
	uint64_t known, last; /* up to which it knows; the end of the last use */
};

struct sc_shared_uses {
	struct sc_watch watch;
	struct sc_across_log *log;	/* borrowed */
	SC_VECTOR(uint64_t) addresses;	/* of handles, in order */
	struct sc_u64_map events;	/* ids of shared ones */
	struct sc_u64_map physicals;	/* ids of physical memory that is shared */
	struct sc_u64_map bound;	/* memory that has a handle, by its beginning */
	SC_VECTOR(struct sc_op) opened; /* handles whose memory has not begun yet */
	struct sc_shared_ops waits;
	SC_VECTOR(struct sc_shared_lane) lanes;
	struct sc_shared_turns turns;
	uint64_t host_version; /* + 1, of the host's clock when it was looked at last */
	uint8_t doubt;	       /* enum sc_doubt */
};

void sc_shared_uses_begin(struct sc_shared_uses *u, struct sc_across_log *log,
			  struct sc_reader *reader);
/* How many events the process has, or -errno. */
int64_t sc_shared_uses_end(struct sc_shared_uses *u);
