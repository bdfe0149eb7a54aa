/* Quorum: a collective, in which each rank waits for ranks of its own: those that it has a list of
 * (the root, or those of its counts), all, those before it, or none (trace/message.h). What a rank
 * knows at its end is what those knew that it waited for.
 *
 * Naive form: an edge from the call of each of them to the return
 * (extensions/ranks/tests/test_across_order.c compares). Memory: a clock for each rank until all
 * have left; of ranks that wait for those before them, joined once in the order of ranks. What all
 * knew, or those before a rank, is published, so that the clocks that follow from it are short.
 */
#pragma once

#include "extensions/ranks/across/match.h"
#include "extensions/ranks/across/rank_list.h"
#include "analyzer/clock/clock.h"

enum sc_quorum_whom { SC_QUORUM_LISTED, SC_QUORUM_ALL, SC_QUORUM_BEFORE };

struct sc_quorum;

struct sc_quorums {
	struct sc_quorum *list;	    /* owned */
	struct sc_clock_pool *pool; /* borrowed */
};

/* A process enters the collective of the event, knowing this (handed over); `ranks` is handed over
 * as well. NULL: it has entered before, or ranks do not agree on the kind of collective. */
struct sc_quorum *sc_quorum_enter(struct sc_quorums *all, const struct sc_match_group *g,
				  uint32_t rank, const struct sc_across_event *e,
				  enum sc_quorum_whom whom, struct sc_rank_list *ranks,
				  struct sc_clock *knows);
/* All for whom the rank waits have entered. */
bool sc_quorum_can_leave(struct sc_quorum *q, uint32_t rank);
/* Joins what the rank gets to know; it is out then, and the quorum gone with the last one. */
void sc_quorum_leave(struct sc_quorums *all, struct sc_quorum *q, uint32_t rank,
		     struct sc_clock **knows);
/* The processes that wait. */
void sc_quorum_wait(struct sc_quorum *q, uint32_t rank, unsigned process);
/* Calls `see` for each process that waited and can leave now; the quorum stays until then. */
void sc_quorum_each_ready(struct sc_quorums *all, struct sc_quorum *q,
			  void (*see)(void *data, unsigned process), void *data);
size_t sc_quorums_count(const struct sc_quorums *all);
void sc_quorums_fini(struct sc_quorums *all);
