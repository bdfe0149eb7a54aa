/* Wait: what a process waits for that has not happened (wait.c).
 *
 * Of a call that has not returned: the call. Of an operation of NCCL that not all of its ranks have
 * enqueued (enqueued.c): the device waits for it, and the host where it waits for the device.
 */
#pragma once

#include "extensions/ranks/across/match.h"

#define SC_NO_PROCESS UINT32_MAX /* one without a trace */

struct sc_rank_wait {
	uint32_t process;
	const struct sc_across_event *event;
	SC_VECTOR(uint32_t) whom; /* processes */
	bool is_any;		  /* one of them is enough */
	bool is_unknown;	  /* whom is not known, or the answer is on its way */

	/* Of an operation of NCCL. */
	const struct sc_match_group *group;
	const struct sc_match_side *side;   /* or NULL: a collective */
	const struct sc_across_event *host; /* wait that has not returned; NULL: the process goes
					       on, or has ended */
	bool is_refused; /* one of those for whom it waits does nothing more in the group */
};

struct sc_rank_waits {
	struct sc_match *m;
	SC_VECTOR(struct sc_rank_wait) list; /* by process */
	bool *is_able;			     /* owned: by process */
	uint32_t *wait_of; /* owned: by process, + 1 in list; its first that keeps it */
};

/* True if those for whom it waits may still answer, as far as is known of who is able to go on. */
bool sc_rank_wait_can_end(const struct sc_rank_waits *all, const struct sc_rank_wait *w);
/* Appends what the process does that waits for nobody. */
void sc_rank_wait_add_idle(struct sc_buf *out, const struct sc_match *m, uint32_t process);

/* channel.c */
/* Calls `see` for each message of NCCL that has no other side. */
void sc_match_each_left(const struct sc_match *m,
			void (*see)(void *data, const struct sc_match_side *s), void *data);

/* meeting.c */
/* An operation of NCCL that a rank has enqueued, and which not all of its group have. */
struct sc_match_entry {
	struct sc_across_event event;
	uint32_t process, rank;
};
/* Calls `see` for the first such operation of each rank. */
void sc_match_each_open(const struct sc_match_group *g,
			void (*see)(void *data, const struct sc_match_group *g,
				    const struct sc_match_entry *e),
			void *data);

struct sc_open_list {
	const struct sc_match *m;
	SC_VECTOR(struct sc_rank_wait) list; /* by process, and in its order */
};

/* enqueued.c: an operation that the device works at is NCCL's, but for what makes communicators. */
bool sc_match_is_enqueued(const struct sc_match *m, const struct sc_across_event *e);
/* The operations of NCCL that are open. */
void sc_open_list_find(struct sc_open_list *s, const struct sc_match *m);
/* Frees the list, not what was taken from it. */
void sc_open_list_fini(struct sc_open_list *s);
/* Files what there is to say of one, once it is known who is able to go on. */
void sc_open_list_file(const struct sc_rank_waits *all, const struct sc_rank_wait *w);
