/* Epochs: order by MPI_Win_post, start, complete and wait (MPI 4.1, 12.5.2).
 *
 * A wait of a rank for its window returns after each rank that it posted the window for has called
 * the complete that belongs to it. A complete returns after the post of those ranks from which it
 * got data, which cannot be there before; of others it may return earlier, since what is put may be
 * on its way still. The nth post of a rank for another one belongs to that one's nth start for it.
 *
 * Naive form: an edge for each, and a search for a path (extensions/ranks/tests/test_across_order.c
 * compares). Memory: a clock for each epoch that one side only has seen.
 */
#pragma once

#include "extensions/ranks/across/match.h"
#include "extensions/ranks/across/rank_list.h"
#include "analyzer/clock/clock.h"

struct sc_epoch_window; /* a window in a process */
struct sc_epoch_line;	/* what a rank says to another one in a window */

/* What a call waits for: the nth of a line. */
struct sc_epoch_need {
	struct sc_epoch_line *line;
	uint64_t number;
};

struct sc_epoch_needs {
	SC_VECTOR(struct sc_epoch_need) list;
};

struct sc_epochs {
	struct sc_epoch_window *windows; /* owned */
	struct sc_epoch_line *lines;	 /* owned */
	struct sc_clock_pool *pool;	 /* borrowed */
	const struct sc_match *match;	 /* borrowed */
	/* A process has something that it may wait for. */
	void (*wake)(void *data, unsigned process);
	void *data;
};

/* A START, POST, ACCESS, COMPLETE or AWAIT of a process, which has this list of ranks and knows
 * this. What a COMPLETE or AWAIT waits for is added to `needs`. */
void sc_epochs_take(struct sc_epochs *all, unsigned process, const struct sc_across_event *e,
		    const struct sc_rank_list *ranks, struct sc_clock *knows,
		    struct sc_epoch_needs *needs);
bool sc_epochs_are_met(const struct sc_epoch_needs *needs);
/* Joins what they bring, and forgets it. */
void sc_epochs_join(struct sc_epochs *all, struct sc_epoch_needs *needs, struct sc_clock **knows);
void sc_epoch_needs_fini(struct sc_epoch_needs *needs);
size_t sc_epochs_kept(const struct sc_epochs *all); /* clocks */
void sc_epochs_fini(struct sc_epochs *all);
