/* Event: what a process of a run says of messages, with its groups under the names that all
 * processes know. Fixed size without pointers, so that many can lie in a file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "trace/message.h"

enum sc_across_what {
	SC_ACROSS_GROUP,   /* the process is in `group`: rank `peer` - 1 of `bytes`; `tag` messages
			      are missing */
	SC_ACROSS_MESSAGE, /* the op MESSAGE */
	SC_ACROSS_END,	   /* message `link` - 1 is complete */
	SC_ACROSS_EXIT,	   /* the process ends, by signal `tag` or, 0, of itself */
	SC_ACROSS_VAGUE,   /* records of the process are missing */
	SC_ACROSS_RANK,	   /* the process was started as rank `peer` - 1 */
	SC_ACROSS_STUCK,   /* the host has not returned from a wait for stream `peer`, or with `tag`
			      for   all of a context */
	SC_ACROSS_RETURN, /* the call of message `link` - 1, which waits for others, has returned */

	/* Of memory and events that processes share (extensions/ranks/shared). */
	SC_ACROSS_BINDING, /* object `tag` is what others know as `group`: `value`, enum
			      sc_across_bound; `peer`: enum sc_share_way; `bytes` 1: the other
			      process may be on another node */
	SC_ACROSS_DOUBT,   /* why an order of the process may not be seen: `value`, enum sc_doubt */
	SC_ACROSS_SHARE,   /* the handle of `group` is given or opened: `peer` */
	SC_ACROSS_SHAPE,   /* of the next access: `bytes` rows, `operation` from row to row, `link`
			      slices, `tag` from slice to slice */
	SC_ACROSS_AFTER,   /* the next access or record comes after wait `link` - 1 */
	SC_ACROSS_ACCESS,  /* op `sequence` uses `bytes` bytes of object `tag`, from its byte
			      `operation` on; `value`: sc_across_access_value, `peer` the stack,
			      `link`: a rule by which its call, which seems to wait,
			      may return before the op is complete, or 0; its end is position
			      `group` of the process' lane `own` */
	SC_ACROSS_KNOWN,   /* the host knows that lane `own` is complete up to `group` */
	SC_ACROSS_COVER,   /* the next record, of event `tag`, or turn, of none, comes after lane
			      `own` up to `group` */
	SC_ACROSS_RECORD,  /* stream `peer` records event `tag` */
	SC_ACROSS_WAIT,	   /* something waits for event `tag` */
	SC_ACROSS_LEARNED, /* the host knows that wait `link` - 1 is over */
	SC_ACROSS_ENDED,   /* memory `tag` ends: `value`, enum sc_across_ended */

	/* Of operations of NCCL that were enqueued together: a turn (rendezvous.h), which counts as
	   a wait. */
	SC_ACROSS_TURN,	      /* message `link` - 1 is one of turn `tag` - 1 */
	SC_ACROSS_TURN_AFTER, /* the turn comes after what its stream had before message
				 `operation` - 1 */
	SC_ACROSS_TURN_END    /* all of it was enqueued */
};

/* `value` of a BINDING. */
enum sc_across_bound {
	SC_ACROSS_BOUND_MEMORY,
	SC_ACROSS_BOUND_EVENT,
	SC_ACROSS_BOUND_ONCE /* memory; another one of the same process by that name is a mistake */
};

/* `value` of an ENDED. */
enum sc_across_ended {
	SC_ACROSS_ENDED_OWN,	/* the process frees it, at once */
	SC_ACROSS_ENDED_OPENED, /* it closes what it has opened, likewise */
	SC_ACROSS_ENDED_OTHERWISE
};

struct sc_across_event {
	uint64_t sequence;
	uint64_t time_ns;
	uint64_t group; /* name */
	uint64_t tag;
	uint64_t bytes;
	uint64_t operation;
	uint64_t link;	/* of a message of NCCL: its stream */
	uint32_t value; /* enum sc_message and flags; of a group: enum sc_message_group */
	uint32_t peer;
	uint32_t call; /* number of the function's name */
	uint32_t thread;
	uint8_t what;	 /* enum sc_across_what */
	bool is_pending; /* the call has not returned */
	bool has_failed;
	bool is_with; /* of a message of NCCL: enqueued together with the thread's one before it */
	uint32_t own; /* of a message of NCCL: the rank of the caller, + 1; of a use: a lane */
};
_Static_assert(sizeof(struct sc_across_event) == 80, "without gaps");

/* `value` of an ACCESS. */
static inline uint32_t sc_across_access_value(uint8_t mode, uint8_t known, uint16_t kind)
{
	return mode | (uint32_t)known << 8 | (uint32_t)kind << 16;
}

/* What comes before all else, of all processes. */
static inline bool sc_across_is_early(const struct sc_across_event *e)
{
	return e->what == SC_ACROSS_GROUP || e->what == SC_ACROSS_VAGUE ||
	       e->what == SC_ACROSS_RANK || e->what == SC_ACROSS_BINDING ||
	       e->what == SC_ACROSS_DOUBT;
}

static inline enum sc_message sc_across_kind(const struct sc_across_event *e)
{
	return sc_message_kind(e->value);
}
