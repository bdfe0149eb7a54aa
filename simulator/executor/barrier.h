/* The barriers of a block: bar.sync, bar.arrive; and of a cluster.
 *
 * A barrier counts threads. Its phase ends when as many have arrived as the instruction says, or
 * all of the block that have not exited. A whole warp counts as 32 threads if a number is given.
 */
#pragma once

#include "simulator/executor/warp.h"

/* The running path arrives with these lanes, and waits if it `waits`. `expected` 0: all threads. */
void exec_barrier_arrive(struct exec_warp *w, uint32_t barrier, uint32_t lanes, uint32_t expected,
			 bool waits);

/* The same where the threads vote: all that wait here get the count of lanes that were `for_it` in
 * the phase. `deliver` gives it to the lanes of a path that waits in the instruction. */
void exec_barrier_vote(struct exec_warp *w, const struct exec_instruction *in, uint32_t barrier,
		       uint32_t lanes, uint32_t expected, uint32_t for_it, exec_deliver *deliver);

/* The same at the barrier of the cluster, where a thread waits for those who arrived in its phase.
 * Who arrives relaxed releases nothing. */
void exec_barrier_cluster_arrive(struct exec_warp *w, uint32_t lanes, bool is_relaxed);
void exec_barrier_cluster_wait(struct exec_warp *w, uint32_t lanes);

/* Threads exit: barriers no longer wait for them. */
exec_handler exec_barrier_exit;
