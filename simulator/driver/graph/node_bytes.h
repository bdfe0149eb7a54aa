/* Which bytes the kernels of graphs touch, for a tool that records the program (tally.h).
 *
 * The tool gets them for each node of each launch, but for nodes that touched the same bytes in the
 * launch before: those are left out. When all kernels of a launch have ended, the tool is notified
 * of that, so that it can tell a node that touched the same from one that did not end. In the body
 * of a condition a node may run several times, or not at all; what it touched in all rounds of a
 * launch counts as one; of one that ran in an earlier launch only, the tool gets no bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simulator/executor/touched.h"

/* What the nodes of an exec touched last; counted. */
struct sim_exec_bytes;
/* One launch; counted by those who may still make work of it. */
struct sim_launch_bytes;

/* For nodes with numbers below `count`. NULL: out of memory, nothing will be said. */
struct sim_exec_bytes *sim_exec_bytes_new(size_t count);
void sim_exec_bytes_put(struct sim_exec_bytes *exec); /* NULL is let pass, as in all functions */

/* For so many nodes it was made. */
size_t sim_exec_bytes_count(const struct sim_exec_bytes *exec);

/* Of the call that launches; NULL: no tool wants to know. */
struct sim_launch_bytes *sim_launch_bytes_new(struct sim_exec_bytes *exec);
void sim_launch_bytes_get(struct sim_launch_bytes *launch);
void sim_launch_bytes_put(struct sim_launch_bytes *launch);

/* A kernel or a decision of the launch was enqueued; it is about to end, well, with the lock not
 * held. The last one notifies the tool. */
void sim_launch_bytes_begin(struct sim_launch_bytes *launch);
void sim_launch_bytes_end(struct sim_launch_bytes *launch);

/* A kernel of the launch is not executed. */
void sim_launch_bytes_leave_out(struct sim_launch_bytes *launch, uint32_t node);

/* What a kernel touched (EXEC_PHASES sets), which may be taken over; NULL: it is not known. Expects
 * the lock not held. */
void sim_launch_bytes_add(struct sim_launch_bytes *launch, uint32_t node, bool is_body,
			  struct exec_touched *touched);
