/* Clusters of a launch: blocks that are under way together, in one run. Without clusters each block
 * is one of its own. */
#pragma once

#include "simulator/executor/warp.h"

/* A cluster of the run's launch with all its blocks; NULL: there is no memory. */
struct exec_cluster *exec_cluster_new(struct exec_run *run);

/* NULL is let pass. */
void exec_cluster_free(struct exec_cluster *c);

/* The cluster of that index begins. */
void exec_cluster_start(struct exec_cluster *c, uint64_t index);

/* Lets its blocks run in turn until they end or fail, or wait for others than themselves. */
enum exec_progress exec_cluster_run(struct exec_cluster *c);
