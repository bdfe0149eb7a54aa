/* Signals: order that goes through memory words and external semaphores (section 10).
 *
 * A stream that waits for a value comes after the write that produces it. Which write that is, is
 * known if all writes that may have produced the value stand in one stream, and were enqueued
 * before the wait: then the first of them is certain (signal_word.h: what else may write). Every
 * other wait is unresolved: what comes after such a wait may come after anything, so no race across
 * the wait is proven. External semaphores have another side that is not seen (W-4): it may signal
 * for a wait, and it may wait for a signal and notify the program, so that no race is proven either
 * between what comes before a signal and what is enqueued after it.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/order/step.h"
#include "analyzer/order/stream.h"
#include "analyzer/finding/verdict.h"
#include "base/hash.h"
#include "base/search.h"
#include "base/vector.h"

#define SC_SIGNAL_WRITES 32
#define SC_SIGNAL_WAITS	 8
#define SC_SIGNAL_GONE	 4

struct sc_signal_write {
	uint64_t value;
	uint64_t sequence;
	uint32_t stream;       /* 0: the host */
	bool is_barrier;       /* what came before it is visible with it (W-1) */
	bool is_other;	       /* no memory operation did it (signal_word.h) */
	bool is_vague;	       /* and its value is not known */
	struct sc_point point; /* owned: the stream's tail after it */
};

/* A wait that no write before it fulfils. */
struct sc_signal_wait {
	uint64_t value;
	uint64_t sequence;
	uint64_t own_writer; /* + 1 of a later write of the same stream that would fulfil it */
	uint32_t stream;
	uint32_t thread, stack;
	uint32_t condition; /* enum sc_value_condition */
	uint32_t lane;
	uint64_t position;
};

/* A word, or an external semaphore. */
struct sc_signal {
	uint64_t key;
	uint32_t write_count, wait_count; /* ever; rings */
	struct sc_signal_write writes[SC_SIGNAL_WRITES];
	struct sc_signal_wait waits[SC_SIGNAL_WAITS];
	struct sc_signal_write gone[SC_SIGNAL_GONE]; /* each stream's last that has no place */
	bool is_spoilt;				     /* others may write it unseen */
	struct sc_interval last;		     /* the op that used it last; no clock */
	UT_hash_handle hh;
};

/* A wait that may order what comes after it after anything. */
struct sc_unresolved_wait {
	struct sc_interval when;
	uint8_t doubt; /* enum sc_doubt: what is not seen of it */
};

struct sc_signal_set {
	struct sc_streams *streams; /* borrowed; their pool has the clocks */
	struct sc_signal *by_key;   /* owned */
	SC_VECTOR(uint64_t) words;  /* addresses of those that are words, in order */
	uint64_t words_version;
	size_t words_most; /* where those of freed memory are forgotten */
	SC_VECTOR(struct sc_unresolved_wait) unresolved;
	SC_VECTOR(struct sc_interval)
	published; /* a stream's last signal of a semaphore; clocks owned */
};

void sc_signals_fini(struct sc_signal_set *all);
/* That of a word's address. */
struct sc_signal *sc_signal_of(struct sc_signal_set *all, uint64_t key);
/* The index of the first word at or above the address. */
static inline size_t sc_signal_words_from(const struct sc_signal_set *all, uint64_t address)
{
	size_t i;

	SC_SEARCH(i, all->words.count, all->words.items[i] < address);
	return i;
}
/* A write that may fulfil waits to come; takes the point over. */
void sc_signal_add(struct sc_signal_set *all, struct sc_signal *g,
		   const struct sc_signal_write *write);
/* Forgets all writes of the signal and all waits for it. */
void sc_signal_clear(struct sc_signal_set *all, struct sc_signal *g);
/* Forgets the signals that `is_over` names; they are as if they had never been used. */
void sc_signals_sweep(struct sc_signal_set *all,
		      bool (*is_over)(void *data, const struct sc_signal *g), void *data);
/* The semaphore of the step's op is destroyed; its id is never used again. */
void sc_signal_destroy(struct sc_signal_set *all, const struct sc_step *step);
/* True if the host knows all work that used the signal. */
bool sc_signal_is_known(const struct sc_signal *g, const struct sc_clock *host);
/* True if it is the word at its key's address. */
bool sc_signal_is_word(const struct sc_signal *g);
/* Ops of the step's stream, whose tail has what they come after in any case; they are pushed. The
 * wait returns false if what ends it may be something that is not seen. */
void sc_signal_write(struct sc_signal_set *all, struct sc_step *step);
bool sc_signal_wait(struct sc_signal_set *all, struct sc_step *step, const struct sc_clock *host);
/* Notes that the step's op waits for something that is not seen; false: there is no room. */
bool sc_signal_add_unresolved(struct sc_signal_set *all, const struct sc_step *step);
/* What is not seen of a wait that is not resolved. */
static inline enum sc_doubt sc_signal_doubt(const struct sc_step *step)
{
	return step->is_foreign ? SC_DOUBT_FOREIGN : SC_DOUBT_SIGNAL;
}
/* Why the two may be ordered by a wait that is not resolved, or by a thread or stream that was
 * notified by a signal that is `a`, or comes after `a`; SC_DOUBT_NONE if they may not. What a
 * callback does comes after all signals before it. */
enum sc_doubt sc_signal_may_order(const struct sc_signal_set *all, const struct sc_interval *a,
				  const struct sc_interval *b, bool is_callback);
/* The step's op comes after a memory write by nothing but the wait for that write (W-2): + 1 of the
 * wait, else 0. Reports the wait only once. */
uint64_t sc_signal_alone(struct sc_step *step);
/* The last op that uses the semaphore of the step, if the host did not see its end; else NULL. */
const struct sc_interval *sc_signal_pending(const struct sc_signal_set *all,
					    const struct sc_step *step);
