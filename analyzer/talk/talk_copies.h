/* Copies as observers of words in memory (order/talk.h): the host copies a flag again and again,
 * and goes on when it has the value that a kernel, or another stream, gave it.
 */
#pragma once

#include "analyzer/access/replay.h"
#include "analyzer/model/model.h"

/* The step's op, whose uses are collected, no launch of a graph: what it copies that something in
 * flight may have written as a word, and which copies in flight read words that it writes. */
void sc_talk_copies_step(struct sc_analysis *a, const struct sc_step *step);
/* What the nodes of a launch copy; `grid`: enum sc_grid of all its kernels. */
void sc_talk_copies_launch(struct sc_analysis *a, const struct sc_step *step, unsigned grid,
			   const struct sc_replay *r);
