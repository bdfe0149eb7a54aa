/* Shared turns: what a process enqueues by NCCL, as turns for extensions/ranks/across/rendezvous.h:
 * which operations and waits come before each, and when the host knows that it is over.
 *
 * The messages of a call, or of a group of calls, stand before what NCCL enqueues for them, and the
 * end of the last one after it (extensions/agents/nccl/turn.h). Those of one communicator are a
 * turn.
 * It comes after what its streams had before its messages; what they have at its end comes before
 * all that comes after the turn. What is enqueued in between belongs to NCCL.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "extensions/ranks/across/log.h"
#include "analyzer/clock/interval.h"
#include "base/map.h"
#include "base/vector.h"

struct sc_analysis;
struct sc_record;
struct sc_step;

/* A wait, or a turn, that is not known to be over. */
struct sc_shared_op {
	uint64_t sequence;
	struct sc_interval when; /* without its clock: only its end is asked about */
};

struct sc_shared_ops {
	struct sc_shared_op *items; /* owned: a vector */
	size_t count, room;
};

struct sc_shared_point {
	uint32_t lane;
	uint64_t position;
};

/* A message whose call has not returned. */
struct sc_shared_call {
	uint64_t sequence;
	uint32_t thread, group, stream;		 /* ids */
	bool is_pending;			 /* it never does */
	SC_VECTOR(uint64_t) after;		 /* waits that it comes after */
	SC_VECTOR(struct sc_shared_point) lanes; /* and uses up to there */
};

/* What it asks of its owner: to call `see` for all lanes of uses, and for all waits, that come
 * before a moment. */
struct sc_shared_turns_owner {
	void (*lanes)(const void *data, const struct sc_interval *now,
		      void (*see)(void *data, uint32_t lane, uint64_t position), void *see_data);
	void (*before)(const void *data, const struct sc_interval *now,
		       void (*see)(void *data, uint64_t sequence), void *see_data);
	void *data; /* borrowed */
};

struct sc_shared_turns {
	struct sc_shared_turns_owner owner;
	struct sc_across_log *log; /* borrowed */
	uint8_t doubt;		   /* enum sc_doubt */
	struct sc_u64_map groups;  /* ids of those of NCCL */
	SC_VECTOR(struct sc_shared_call) open;
	struct sc_shared_ops over; /* turns in streams, in their order */
};

/* Takes a record, after the order has; true if turns were added. */
bool sc_shared_turns_look(struct sc_shared_turns *t, struct sc_analysis *a,
			  const struct sc_record *r, const struct sc_step *step);
/* What the thread enqueues now belongs to NCCL. */
bool sc_shared_turns_has(const struct sc_shared_turns *t, uint32_t thread);
/* Calls `see` for the waits that the moment comes after; of those in one stream for the last. */
void sc_shared_turns_before(const struct sc_shared_turns *t, const struct sc_interval *now,
			    void (*see)(void *data, uint64_t sequence), void *data);
/* Calls it for each that the clock of the host has; they are forgotten. */
void sc_shared_ops_learn(struct sc_shared_ops *ops, const struct sc_clock *host,
			 void (*see)(void *data, uint64_t sequence), void *data);
/* The trace is over: `doubt` is as it stays. */
void sc_shared_turns_end(struct sc_shared_turns *t);
