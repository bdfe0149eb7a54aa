/* Knowledge: how far each process of a run knows what the others have done (B-18).
 *
 * A message brings what its sender knew when it sent, to who receives it and to who looks for it
 * (MPI_Probe); the end of a synchronous send brings what its receiver knew when it began to
 * receive; a collective what those knew whose data it needs (enum sc_message_flow, quorum.h);
 * epochs of windows see epoch.h. A process has a lane in clocks, on which it is at the position of
 * an event after that event. Naive form: an edge for each message, and a search for a path
 * (extensions/ranks/tests/test_across_order.c compares).
 *
 * What a process receives is known only after its sender's events were taken. Until then the
 * process is held: none of its later events may be taken (sc_across_log_hold).
 *
 * Memory: a clock for each process and each message in flight. It rests on what all knew at a
 * collective of all; without one it has a word for each process and for each lane with uses of
 * shared memory (sharing.h).
 */
#pragma once

#include "extensions/ranks/across/epoch.h"
#include "extensions/ranks/across/match.h"
#include "extensions/ranks/across/quorum.h"
#include "analyzer/clock/clock.h"
#include "base/hash.h"

struct sc_letter; /* what a message brings */

struct sc_knower {
	struct sc_clock *clock;	    /* owned: what it knows of others */
	bool is_held;		    /* until what it waits for was taken */
	struct sc_match_key awaits; /* of that message */
	struct sc_rank_list ranks;  /* owned: of messages that come next */
};

struct sc_knowledge {
	struct sc_clock_pool pool;
	struct sc_knower *of; /* owned: by process */
	unsigned count;
	const struct sc_match *match; /* borrowed */
	struct sc_letter *letters;    /* owned */
	struct sc_quorums quorums;
	struct sc_epochs epochs;
	bool has_given_up; /* nobody is held any more: see `lost` */
	uint32_t lost;	   /* lane: 1 after something that should have brought more than is known */
	void (*hold)(void *data, unsigned process, bool is_held);
	void *hold_data; /* borrowed */
};

/* The matcher says from now on which messages belong together. */
void sc_knowledge_init(struct sc_knowledge *k, struct sc_match *m);
void sc_knowledge_fini(struct sc_knowledge *k);
/* The next event of a process, before the matcher takes it, and afterwards. */
void sc_knowledge_before(struct sc_knowledge *k, unsigned process, const struct sc_across_event *e);
void sc_knowledge_after(struct sc_knowledge *k, unsigned process, const struct sc_across_event *e);
/* Keeps what a process will know at a later event, under the sequence number of an op (handed
 * over); looks it up, borrowed; drops it. */
void sc_knowledge_keep(struct sc_knowledge *k, unsigned process, uint64_t sequence,
		       struct sc_clock *brings);
struct sc_clock *sc_knowledge_kept(const struct sc_knowledge *k, unsigned process,
				   uint64_t sequence);
void sc_knowledge_drop(struct sc_knowledge *k, unsigned process, uint64_t sequence);
/* Messages, waits and collectives in memory. */
size_t sc_knowledge_size(const struct sc_knowledge *k);
/* The processes that are held will never be released: they go on, and what comes after that is
 * marked in the lane k->lost, as is what comes after a later event that would have held them. */
void sc_knowledge_give_up(struct sc_knowledge *k);
void sc_knowledge_miss(struct sc_knowledge *k, unsigned process);
/* All that may come before is known. */
static inline bool sc_knowledge_is_whole(const struct sc_knowledge *k, const struct sc_clock *c)
{
	return !sc_clock_at(c, k->lost);
}
/* What others get to know from the process after the event at `sequence`; the caller's. */
struct sc_clock *sc_knowledge_snapshot(struct sc_knowledge *k, unsigned process, uint64_t sequence);
/* The process knows of the event of another one. */
static inline bool sc_knowledge_has(const struct sc_clock *c, unsigned process, uint64_t sequence)
{
	return sc_clock_at(c, process) > sequence;
}
