/* Messages between processes: what the fields of the ops GROUP, MESSAGE and MESSAGE_END mean.
 *
 * They say what ranks owe each other, order nothing inside of one rank, and are compared when the
 * traces of all ranks are there (extensions/ranks/across).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* `value` of the op GROUP. */
enum sc_message_group {
	SC_GROUP_WORLD = 1, /* all processes of the run: ranks in it are the ranks of processes */
	SC_GROUP_PART,	    /* made of another group */
	SC_GROUP_WINDOW,    /* the processes that share a window of memory */
	SC_GROUP_NCCL, /* a communicator of NCCL: its operations run on the device, and a process
			  may have several ranks in it */
	SC_GROUP_NCCL_HOST /* the same ranks, and the calls by which they make communicators */
};

/* The lowest 8 bits of `value` of the op MESSAGE. */
enum sc_message {
	SC_MESSAGE_SEND = 1,
	SC_MESSAGE_RECEIVE,
	SC_MESSAGE_PROBE, /* waits for a message, and leaves it */
	SC_MESSAGE_COLLECTIVE,
	SC_MESSAGE_WAIT,   /* for `src` requests, the first of which is message `link` */
	SC_MESSAGE_ACCESS, /* to the memory of a window */
	SC_MESSAGE_FENCE,
	SC_MESSAGE_LOCK,
	SC_MESSAGE_UNLOCK,
	SC_MESSAGE_START,
	SC_MESSAGE_COMPLETE,
	SC_MESSAGE_PART,  /* the process is done with the group; CANCELED: it aborted what is in
			     flight there */
	SC_MESSAGE_LOSE,  /* not all that the process does in the group is recorded from here on */
	SC_MESSAGE_LIST,  /* of the next message of this thread in the group: ranks from `peer` - 1
			     on, a bit of `dst` for each of 64 */
	SC_MESSAGE_POST,  /* others may access the memory of this process in a window */
	SC_MESSAGE_AWAIT, /* until they have completed that */
	SC_MESSAGES
};

/* And above them. */
enum sc_message_flag {
	SC_MESSAGE_BLOCKS = 1 << 8,    /* the call returns when it is complete */
	SC_MESSAGE_UNSIZED = 1 << 9,   /* `bytes` may differ from rank to rank, or is not known */
	SC_MESSAGE_ANY = 1 << 10,      /* one of the requests is enough */
	SC_MESSAGE_LEAVES = 1 << 11,   /* the process takes leave of the others */
	SC_MESSAGE_CLOSES = 1 << 12,   /* a fence after which no epoch begins */
	SC_MESSAGE_CANCELED = 1 << 13, /* of a MESSAGE_END: it may be complete or not */
	SC_MESSAGE_SYNCHRONOUS = 1 << 14, /* a send that is complete once its receive has begun */
	SC_MESSAGE_FROM_ALL = 1 << 15,	  /* of a collective with lists of counts: it brings data of
					     all ranks; of a fence: it ends an epoch */
	SC_MESSAGE_GETS = 1 << 16	  /* of an access: it brings data to the process */
};

/* And of a collective, in 3 bits from SC_MESSAGE_FLOW on: whose call comes before whose return,
 * since a rank cannot have data before its source has come (MPI 4.1, 6.2.2; NCCL documentation,
 * "Collective Operations"). */
enum sc_message_flow {
	SC_FLOW_NONE,	    /* the call brings nothing of others, or it is not known whose */
	SC_FLOW_ALL_TO_ALL, /* the call of each rank before the return of each */
	SC_FLOW_ONE_TO_ALL, /* that of the root before the return of the others */
	SC_FLOW_ALL_TO_ONE, /* those of the others before the root's return */
	SC_FLOW_SCAN,  /* those of the ranks before it, in the order of ranks, before its own */
	SC_FLOW_LISTED /* those of the ranks of its LIST, or FROM_ALL, before its own */
};
#define SC_MESSAGE_FLOW 17 /* first bit */

static inline enum sc_message_flow sc_message_flow(unsigned long long value)
{
	unsigned flow = value >> SC_MESSAGE_FLOW & 7;

	return flow <= SC_FLOW_LISTED ? (enum sc_message_flow)flow : SC_FLOW_NONE;
}

static inline uint32_t sc_message_flow_bits(enum sc_message_flow flow)
{
	return (uint32_t)flow << SC_MESSAGE_FLOW;
}

/* `dst` of a MESSAGE in a group of NCCL: its numbers of the reduction and of the type of elements,
 * each + 1; 0: not known, or none. */
static inline uint64_t sc_message_way(uint32_t reduction, uint32_t type)
{
	return reduction | (uint64_t)type << 32;
}

static inline bool sc_message_is_nccl(unsigned long long group)
{
	return group == SC_GROUP_NCCL || group == SC_GROUP_NCCL_HOST;
}

/* `peer` of the op SHARE. */
enum sc_share_way { SC_SHARE_GIVEN = 1, SC_SHARE_OPENED };

/* And its `src`: what the handle's bytes stand for. */
enum sc_share_what {
	SC_SHARE_ANY,	   /* memory by its first address, or an event */
	SC_SHARE_POINTER,  /* memory of a pool */
	SC_SHARE_PHYSICAL, /* `object`: physical memory, which is mapped or will be */
	SC_SHARE_WHATS
};

static inline enum sc_message sc_message_kind(unsigned long long value)
{
	return (enum sc_message)(value & 0xff);
}
