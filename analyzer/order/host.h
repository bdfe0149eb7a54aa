/* Host threads: what each of them knows of the others and of the device (section 12).
 *
 * Two modes (T-3). `observed`: all threads share one clock, and a call comes after every host
 * action that stands before it in the trace, so hand-overs through atomics never look like races.
 * `strict`: each thread has a clock and a lane of its own, and learns of another one (T-8) only by
 * what was seen: locks, semaphores, conditions, creation, join, and device round trips (T-4). What
 * `strict` finds beyond `observed` may have been ordered by an atomic, so it is never proven.
 *
 * In both modes a callback is a time line of its own, which exchanges what it knows with threads
 * through the synchronization objects that both use (C-1). Naive form: an edge from each release to
 * each later acquire of the same object; here an object keeps the join of what was released.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "analyzer/order/callback.h"
#include "analyzer/order/luck.h"
#include "analyzer/order/step.h"
#include "analyzer/order/stream.h"
#include "base/recall.h"

struct sc_host_thread {
	uint32_t id, lane;
	bool has_ended;
	uint64_t ended;		/* position of its end */
	struct sc_clock *clock; /* owned; `strict` only */
	uint64_t version;	/* changes with the clock, never the same in two threads */
	struct sc_host_thread *next;
};

/* A lock, semaphore, …: what was released into it. */
struct sc_sync {
	struct sc_clock *clock; /* owned */
	uint64_t entered;	/* `observed`: host actions before this position */
	struct sc_sync *next;
};

/* What host threads know. `clock` and what follows it: any thread, for all of them (observed). */
struct sc_host {
	struct sc_streams *streams;	/* borrowed: lanes and clocks come from there */
	struct sc_callbacks *callbacks; /* borrowed */
	struct sc_clock *clock;		/* owned: what the host waited for; by luck: pools did */
	uint64_t version;		/* changes with the clock */
	uint32_t thread;		/* the only thread that waited so far, or 0 */
	bool is_shared;			/* several threads waited */
	bool is_strict;			/* threads know only what was seen */
	struct sc_wait_log waits;
	struct sc_luck luck;		/* what it did not look at */
	struct sc_luck pools;		/* what pools asked for */
	struct sc_host_thread *threads; /* owned */
	struct sc_sync *syncs;		/* owned */
	struct sc_u64_map threads_by_id, syncs_by_id;
	uint64_t versions;	  /* of threads */
	size_t ended, ended_most; /* threads, and where some of them are forgotten */
	size_t remembered;	  /* of them, that not all others know of; 0: all */
	uint64_t forgotten;	  /* how many more there were: what they did counts as known */
	struct sc_recall gone;	  /* ids of those that were forgotten */
};

void sc_host_init(struct sc_host *h, struct sc_streams *streams, struct sc_callbacks *callbacks,
		  bool is_strict);
void sc_host_fini(struct sc_host *h);
/* `strict`: the thread of an id, made if it is new. */
struct sc_host_thread *sc_host_thread_of(struct sc_host *h, uint32_t id);
/* What the caller of the step's op knows; borrowed. */
struct sc_clock *sc_host_clock(struct sc_host *h, const struct sc_step *step);
/* *clock learns what the caller, which is in no callback, knows and did: it comes before what the
 * call begins beside all streams. */
void sc_host_join_into(struct sc_host *h, const struct sc_step *step, struct sc_clock **clock);
/* The slow part of sc_host_join_caller. */
void sc_host_join_news(struct sc_host *h, const struct sc_step *step);
/* Everything that the caller knows comes before what its call puts into the stream (0.2). */
static inline void sc_host_join_caller(struct sc_host *h, const struct sc_step *step)
{
	if (step->inside || h->is_strict || step->stream->host_version != h->version)
		sc_host_join_news(h, step);
}
/* The caller learns a target. */
void sc_host_learn(struct sc_host *h, const struct sc_step *step, const struct sc_target *covers);
/* The same of the answer to a pool, which the program does not know. */
void sc_host_learn_of_pool(struct sc_host *h, const struct sc_step *step,
			   const struct sc_target *covers);
/* What the program itself waited for. */
static inline struct sc_clock *sc_host_sure(const struct sc_host *h)
{
	return sc_clock_sure(h->clock);
}
/* The moment of a host action of the calling thread, which is in no callback. */
struct sc_interval sc_host_moment(struct sc_host *h, const struct sc_step *step,
				  struct sc_clock *start);
/* Takes a SYNC or THREAD op; false if the op is another one. */
bool sc_host_sync(struct sc_host *h, const struct sc_step *step);
/* `strict`: true if every thread that has not ended knows that the lane is complete up to
 * `position`. */
bool sc_host_all_know(const struct sc_host *h, uint32_t lane, uint64_t position);
/* All that count know that the work up to a position of a lane is complete: with strict hosts each
 * thread, else whoever is asked next. The lane may then be another stream's. */
bool sc_host_is_over(const struct sc_host *h, uint32_t lane, uint64_t position);
/* `strict`: true if the caller knows of what a thread did at a position. */
bool sc_host_knows_thread(struct sc_host *h, const struct sc_step *step, uint32_t thread,
			  uint64_t position);
