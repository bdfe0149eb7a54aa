/* Match: which messages of the processes of a run belong together.
 *
 * A receive gets the earliest message of its group, sender and tag that no earlier receive got (MPI
 * 4.1, 3.5). Naively: for each receive in the order in which it was posted, take the first such
 * message (extensions/ranks/tests/test_across_match.c compares). Here both wait in a channel for
 * each other, by group, sender, receiver and tag; a receive from anybody waits in the order of its
 * process until its end shows from whom. What both sides had is forgotten, so memory follows from
 * how much is in flight.
 *
 * Collectives of a group meet by their number. What is not known is never guessed: of a process
 * with messages that were not recorded, and of one that received from anybody and does not say
 * from whom, nothing is said any more.
 */
#pragma once

#include "extensions/ranks/across/event.h"
#include "extensions/ranks/across/remark.h"
#include "base/hash.h"
#include "base/map.h"

/* Whom a side belongs to. */
struct sc_match_key {
	uint64_t sequence;
	uint64_t process;
};

/* A message of which the other side was not seen yet, or whose end was not. */
struct sc_match_side {
	struct sc_match_key key;
	struct sc_match_side *next; /* in its channel or its queue */
	struct sc_across_event event;
	struct sc_match_group *group;
	uint32_t from, to; /* ranks in the group; `from` says nothing if it is_open */
	bool is_receive;
	bool is_probe;	 /* a receive that leaves the message where it is */
	bool is_open;	 /* from anybody, or with any tag: which message it got is not known yet */
	bool is_matched; /* the other side was seen, or is not asked for */
	bool is_ended;	 /* nobody waits for it */
	UT_hash_handle hh;
};

struct sc_match_list {
	struct sc_match_side *first, *last;
};

/* A process in a group. */
struct sc_match_member {
	uint32_t rank; /* key */
	uint32_t process;
	uint64_t last;	    /* collective that it entered */
	uint32_t thread;    /* the first that sends or receives; UINT32_MAX: there are several */
	bool is_vague;	    /* not all of its messages are known */
	bool is_closed;	    /* not all that it received are known, from some point on */
	bool has_parted;    /* from a communicator of NCCL: it does nothing more there */
	uint32_t last_call; /* of NCCL in this group, and its op + 1 */
	uint64_t last_op;
	struct sc_match_list queue; /* owned: receives, from the first open one on */
	UT_hash_handle hh;
};

struct sc_match_meeting; /* meeting.c */

struct sc_match_group {
	uint64_t name; /* key */
	uint32_t size;
	uint32_t kind;			   /* enum sc_message_group */
	bool is_out_of_step;		   /* its processes do not enter the same collectives */
	bool has_many;			   /* of NCCL: a process has several ranks in it */
	bool is_aborted;		   /* of NCCL, by one of them */
	bool has_vague;			   /* a member is_vague */
	uint64_t unknown;		   /* collectives after this one are not known of all */
	struct sc_match_member *members;   /* owned, by rank */
	struct sc_match_meeting *meetings; /* owned, by number: those that not all have entered */
	UT_hash_handle hh;
};

/* What a process was last seen to do. */
struct sc_match_process {
	struct sc_u64_map ranks; /* + 1, by names of groups */
	uint64_t last;		 /* op, + 1; 0: none */
	uint32_t last_call;
	uint32_t rank;		   /* + 1, among all; 0: not known */
	uint32_t started_as;	   /* the same, from how it was started */
	uint32_t nccl_thread;	   /* the first that calls NCCL; UINT32_MAX: there are several */
	uint32_t signal;	   /* that ended it */
	bool is_leaving, has_left; /* takes leave, exchanging nothing any more; took leave */
	bool has_ended;		   /* its end was recorded */
	SC_VECTOR(struct sc_across_event) pending; /* calls that have not returned */
	SC_VECTOR(struct sc_across_event) stuck;   /* waits of the host for the device, so too */
};

struct sc_match_channel; /* channel.c */

struct sc_match {
	struct sc_match_process *processes; /* owned */
	unsigned count;
	bool is_double;			   /* two processes say that they have the same rank */
	struct sc_match_group *groups;	   /* owned, by name */
	struct sc_match_channel *channels; /* owned */
	struct sc_match_side *sides;	   /* owned with the channels: those that have not ended */
	struct sc_across_remarks *remarks; /* borrowed */
	const char *(*call_name)(const void *data, uint32_t call);
	const void *call_data; /* borrowed */
	/* Or NULL: each pair that belongs together, each message whose other side nobody knows. */
	void (*see_pair)(void *data, const struct sc_match_side *sent,
			 const struct sc_match_side *got);
	void (*see_lost)(void *data, unsigned process, uint64_t sequence);
	void *see_data;
	uint64_t pairs;
	size_t held; /* sides in memory */
	size_t held_most;
};

/* For so many processes; `call_name` puts functions into words. */
void sc_match_init(struct sc_match *m, unsigned processes, struct sc_across_remarks *remarks,
		   const char *(*call_name)(const void *data, uint32_t call), const void *data);
void sc_match_fini(struct sc_match *m);
/* The next event of a process; those of one come in its order. Groups come before what happens in
 * them, of all processes. */
void sc_match_take(struct sc_match *m, unsigned process, const struct sc_across_event *e);
/* All events were taken: files what is left over. */
void sc_match_finish(struct sc_match *m);

struct sc_match_group *sc_match_group(const struct sc_match *m, uint64_t name);
struct sc_match_member *sc_match_member(const struct sc_match_group *g, uint32_t rank);
/* The process' own rank in the group, + 1; 0: it is not in there. */
uint32_t sc_match_rank(const struct sc_match *m, unsigned process, uint64_t group);
/* The rank that an event of the process is of, + 1; 0: it is not in its group. */
uint32_t sc_match_own_rank(const struct sc_match *m, unsigned process,
			   const struct sc_across_event *e);
/* A message that has not ended, or NULL. */
struct sc_match_side *sc_match_side(const struct sc_match *m, unsigned process, uint64_t sequence);
/* "rank 3", or "process 3" if its rank is not known. */
void sc_match_name(struct sc_buf *out, const struct sc_match *m, unsigned process);
/* The same of a rank in a group; where a process has several, "rank 1 of the communicator". */
void sc_match_name_rank(struct sc_buf *out, const struct sc_match *m,
			const struct sc_match_group *g, uint32_t rank);
/* "MPI_COMM_WORLD", or what kind of group it is and how many ranks it has. */
void sc_match_name_group(struct sc_buf *out, const struct sc_match_group *g);
const char *sc_match_call(const struct sc_match *m, uint32_t call);

/* channel.c */
void sc_match_message(struct sc_match *m, unsigned process, const struct sc_across_event *e);
void sc_match_end(struct sc_match *m, unsigned process, const struct sc_across_event *e);
/* True if there is a message that nobody received, and which this receive would take. */
bool sc_match_has_message(const struct sc_match *m, const struct sc_match_group *g,
			  const struct sc_across_event *receive, uint32_t to);
void sc_match_finish_channels(struct sc_match *m);
void sc_match_fini_channels(struct sc_match *m);

/* meeting.c */
void sc_match_meet(struct sc_match *m, unsigned process, const struct sc_across_event *e);
void sc_match_finish_meetings(struct sc_match *m);
void sc_match_fini_meetings(struct sc_match_group *g);

/* wait.c: of calls that have not returned, what they wait for. */
void sc_match_finish_waits(struct sc_match *m);
