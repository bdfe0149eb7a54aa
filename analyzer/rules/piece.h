/* Pieces that a pool of the program hands out, for the launches of graphs that use them. */
#pragma once

#include "analyzer/access/replay.h"
#include "analyzer/model/model.h"

/* SC-136: nodes of a launch whose addresses lie in pieces that went back to their pool since the
 * launch before. */
void sc_piece_check_graph(struct sc_analysis *a, const struct sc_step *step, struct sc_replay *r);
