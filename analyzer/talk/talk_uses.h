/* What operations do for order by words in memory (order/talk.h): which words they read or write.
 */
#pragma once

#include "analyzer/access/replay.h"
#include "analyzer/model/model.h"

/* The step's op, whose uses are collected; no launch of a graph. */
void sc_talk_uses_step(struct sc_analysis *a, const struct sc_step *step);
/* A launch of a graph, of whose nodes the uses are collected. */
void sc_talk_uses_launch(struct sc_analysis *a, const struct sc_step *step, unsigned grid,
			 const struct sc_replay *r);
