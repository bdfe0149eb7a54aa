/* Programmatic edges: kernels that start before those that they depend on are complete (G-8, L-2).
 *
 * Three sets of rows belong to a row: what is complete before it starts, before it touches memory,
 * and once it is complete. An ordinary edge hands on what is complete at the end of the kernel that
 * it leads from; a programmatic one what was complete before that kernel's trigger, which comes
 * after the wait in the kernel's code unless that may trigger before. A kernel that waits for the
 * grids that it depends on touches memory after the ends of these grids, and of these only. An
 * ordinary op that follows comes after all that led here, as it does in a stream (S-1). Compared
 * with the naive form in tests/oracle/run_graphs.c.
 */
#pragma once

#include "analyzer/graph/graph.h"

struct sc_code;

/* Of a sealed graph: finds what programmatic edges leave unordered, from what the kernels' code
 * does. */
void sc_graph_programmatic_find(struct sc_graph *g, struct sc_code *code);
