/* Rendezvous: the order that operations of NCCL give to the devices of different processes.
 *
 * What one call, or one group of calls, enqueues in a communicator is a turn: one operation in all
 * of its streams (B-5). A turn is over when all those have begun whose data it needs
 * (nccl_operation.h): what comes after it then comes after all that was before their turns. What a
 * turn itself reads and writes is not ordered by it. Naive form: an edge from the begin of each
 * turn to the end of each that needs it, and a search for a path
 * (extensions/ranks/tests/test_across_rendezvous.c compares).
 *
 * A host goes on after its call, so what comes after a turn may be there before the turns of other
 * processes are: it waits here, with its clock, and the process goes on; but a host that knows that
 * a turn is over is held until it is (knowledge.h), and so is one that records a shared event.
 * Things go on in an order in which nothing is before what it comes after.
 *
 * What is not known (calls that failed, were captured or aborted, processes whose records are lost)
 * orders nothing, and is_unsure says so. Memory: turns that the hosts do not know to be over.
 */
#pragma once

#include "extensions/ranks/across/knowledge.h"
#include "extensions/ranks/across/nccl_operation.h"
#include "base/map.h"
#include "base/vector.h"

struct sc_rendezvous;
struct sc_turn;		/* rendezvous.c */
struct sc_turn_message; /* one of NCCL, before its turn is known */
struct sc_turn_meeting;

/* Something that comes after turns which are not over. */
struct sc_awaiting {
	unsigned missing;	/* turns */
	struct sc_clock *clock; /* owned: what it comes after, as far as it is known */
	/* Nothing is missing any more; it is its own. */
	void (*go_on)(struct sc_rendezvous *r, struct sc_awaiting *self);
	/* Or NULL: something will be missing for ever. */
	void (*drop)(struct sc_rendezvous *r, struct sc_awaiting *self);
};

/* A host knows since then that all is complete which `clock` covers. */
typedef void sc_rendezvous_learned(void *data, const struct sc_clock *clock, uint64_t time_ns);

/* Turns that the next thing of a process comes after. */
struct sc_rendezvous_process {
	SC_VECTOR(struct sc_turn *) after;
};

struct sc_rendezvous {
	struct sc_knowledge *knowledge;		 /* borrowed */
	const struct sc_match *match;		 /* borrowed */
	void *data;				 /* borrowed: for those that go on, and `learned` */
	sc_rendezvous_learned *learned;		 /* set by the caller */
	struct sc_rendezvous_process *processes; /* owned */
	struct sc_nccl_numbers numbers;
	struct sc_turn_message *messages;
	struct sc_turn_meeting *meetings;
	struct sc_turn *turns;
	SC_VECTOR(struct sc_turn *) ready; /* over, and nobody knows yet */
	bool is_settling, is_unsure, has_given_up;
};

void sc_rendezvous_init(struct sc_rendezvous *r, struct sc_knowledge *k, void *data);
void sc_rendezvous_fini(struct sc_rendezvous *r);
/* The next event of a process, which the matcher has taken. `now`, of an event TURN_AFTER: what it
 * comes after (handed over). */
void sc_rendezvous_take(struct sc_rendezvous *r, unsigned process, const struct sc_across_event *e,
			struct sc_clock *now);
/* The next thing of the process comes after this wait. False if it is no turn. */
bool sc_rendezvous_after(struct sc_rendezvous *r, unsigned process, uint64_t sequence,
			 struct sc_clock **after);
/* An event LEARNED: the host knows that the wait is over; false if it is no turn. */
bool sc_rendezvous_learn(struct sc_rendezvous *r, unsigned process,
			 const struct sc_across_event *e);
/* The next thing of the process has to wait. */
static inline bool sc_rendezvous_is_early(const struct sc_rendezvous *r, unsigned process)
{
	return r->processes[process].after.count != 0;
}
/* It has not, since nobody asks for it. */
static inline void sc_rendezvous_skip(struct sc_rendezvous *r, unsigned process)
{
	sc_vector_clear(&r->processes[process].after);
}
/* It waits for that; owned here until it goes on. */
void sc_rendezvous_await(struct sc_rendezvous *r, unsigned process, struct sc_awaiting *a);
/* What is missing will never come. */
void sc_rendezvous_give_up(struct sc_rendezvous *r);
