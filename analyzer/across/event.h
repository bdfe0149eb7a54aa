/* Event: what a process of a run says of messages, with its groups under the names that all
 * processes know. Fixed size without pointers, so that many can lie in a file. */
#ifndef SC_ANALYZER_ACROSS_EVENT_H
#define SC_ANALYZER_ACROSS_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include "trace/message.h"

enum sc_across_what {
	SC_ACROSS_GROUP,   /* the process is in `group`: rank `peer` - 1 of `bytes`; `tag` messages
			      are missing */
	SC_ACROSS_MESSAGE, /* the op MESSAGE */
	SC_ACROSS_END,	   /* message `link` - 1 is complete */
	SC_ACROSS_EXIT,	   /* the process ends, by signal `tag` or, 0, of itself */
	SC_ACROSS_VAGUE	   /* records of the process are missing */
};

struct sc_across_event {
	uint64_t sequence;
	uint64_t time_ns;
	uint64_t group; /* name */
	uint64_t tag;
	uint64_t bytes;
	uint64_t operation;
	uint64_t link;
	uint32_t value; /* enum sc_message and flags; of a group: enum sc_message_group */
	uint32_t peer;
	uint32_t call; /* number of the function's name */
	uint32_t thread;
	uint8_t what;	 /* enum sc_across_what */
	bool is_pending; /* the call has not returned */
	bool has_failed;
	uint8_t spare[5];
};
_Static_assert(sizeof(struct sc_across_event) == 80, "without gaps");

static inline enum sc_message sc_across_kind(const struct sc_across_event *e)
{
	return sc_message_kind(e->value);
}

#endif
