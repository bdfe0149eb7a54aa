/* Host synchronization, as far as it can carry an order that matters (T-3, C-1, C-5).
 *
 * Written only when it is needed: from the first host function on, or from the start if the user
 * asked for hosts=strict. Until then a wrapper costs a few loads and a call. What may wait asks
 * before and after the real call, because the first host function, or the call that begins the
 * session, may be what ends the wait. Only what is new is written: each thread that did something
 * recorded has a small vector clock (its own count of records, and those of others that it knows),
 * each object the join of what was released into it. A release that adds nothing to the object, and
 * an acquire that adds nothing to the thread, are not written, so locks that guard no CUDA work
 * leave no trace, however often they change hands.
 *
 * Inside callbacks everything is written, and waits with BEGIN and END: two callbacks are two time
 * lines even on one thread (C-3), so what one released is news to each thread once, whatever it
 * knows of the other; and a callback that waits for a lock may wait forever (SC-123). What waits
 * until a given time at most has no BEGIN: it is written when it succeeded.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "interposer/core/lock.h"
#include "interposer/core/table.h"
#include "trace/sync.h"

#define SC_SYNC_SLOTS  32 /* threads that are distinguished at a time; others write everything */
#define SC_SYNC_HELD   8  /* locks of a thread that need no memory of their own */
#define SC_SYNC_TAKERS 8  /* threads that are known to have acquired from a host function */

/* What was released into an object: a lock, or what knows itself where it is kept (zeroed). */
struct sc_sync_point {
	struct sc_lock lock;
	uint32_t id;	     /* 0: nothing was released yet; the members are under the lock */
	bool has_unclocked;  /* by a thread without a slot, so any acquire may be news */
	bool is_of_callback; /* by a host function, which no clock distinguishes */
	uint32_t takers[SC_SYNC_TAKERS]; /* ids of threads that know the last release */
	uint32_t taken;			 /* how many took it */
	uint64_t known[SC_SYNC_SLOTS];
};

struct sc_sync_session {
	atomic_uint wanted;
	atomic_uint objects;
	atomic_uint slots;		/* bits: taken by a thread that lives */
	uint64_t counts[SC_SYNC_SLOTS]; /* where the next thread of a slot begins to count */
	struct sc_table table;		/* address → struct sc_sync_point */
};

extern struct sc_sync_session sc_sync;

struct sc_sync_held {
	const void *object;
	enum sc_sync_object kind;
};

struct sc_sync_thread {
	uint64_t known[SC_SYNC_SLOTS];
	uint32_t slot;		  /* SC_SYNC_SLOTS: nothing was recorded yet, or none was free */
	bool is_left_out;	  /* of the slots */
	bool has_unclocked;	  /* learned something of a thread without a slot */
	struct sc_sync_point own; /* for what it releases repeatedly: teams that it forks */
	uint32_t held_count, held_room;
	uint64_t other_start, other_bytes; /* last caller's mapping, not the driver's */
	bool has_learned;		   /* something from another thread */
	struct sc_sync_held *held;	   /* which locks the thread holds: `first`, or more room */
	struct sc_sync_held first[SC_SYNC_HELD];
};

/* From here on synchronization is written. */
void sc_sync_want(void);
/* True if synchronization is written, or will be from the start of a session to come. */
bool sc_sync_is_asked(void);
/* True if what the calling thread does now is followed; and if it has something to publish. */
bool sc_sync_is_followed(void);
bool sc_sync_has_news(void);
/* True for callers in the driver or a runtime, whose locks say nothing about the program. */
bool sc_sync_is_inner(uint64_t caller);
/* Before a release; after an acquire (flags: SC_FLAG_TIMED or 0). Keep errno. */
void sc_sync_release(const void *object, enum sc_sync_object kind);
void sc_sync_acquire(const void *object, enum sc_sync_object kind, uint32_t flags);
/* The same for a point that its owner keeps, never a lock. */
void sc_sync_point_release(struct sc_sync_point *point, enum sc_sync_object kind);
void sc_sync_point_acquire(struct sc_sync_point *point, enum sc_sync_object kind);
/* A point that the calling thread keeps for itself; NULL: nothing is followed now. */
struct sc_sync_point *sc_sync_own_point(void);
/* The threads that will acquire the point know already what `known` carries: only more is new. */
void sc_sync_point_seed(struct sc_sync_point *point, const struct sc_sync_point *known);
/* Before and after an acquire that may wait; `begin` is what the first one returned. */
uint64_t sc_sync_begin(const void *object, enum sc_sync_object kind);
void sc_sync_end(const void *object, enum sc_sync_object kind, uint64_t begin, bool success);
/* Records which locks the thread holds, before a call that may block. */
void sc_sync_record_held(void);
/* A release into a new point, for a thread about to be created; and what that one makes of it: its
 * THREAD_BEGIN op, which names the point, is the acquire. */
void sc_sync_release_new(struct sc_sync_point *point);
void sc_sync_acquire_new(struct sc_sync_point *point);
/* The thread ends: its slot is free. */
void sc_sync_end_thread(void);
/* The thread that had this in sc_self.sync is gone; NULL is let pass. */
void sc_sync_thread_gone(struct sc_sync_thread *thread);
