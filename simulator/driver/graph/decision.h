/* Decisions: conditional nodes at their turn (rule G-9).
 *
 * The op of a conditional node reads the condition when everything before the node has ended. It
 * enqueues the body that is chosen, and waits for it; a WHILE then reads the condition again. What
 * comes after the node in the graph comes after this op. Each time it is an op among others, so
 * that a loop that never ends keeps nobody else from running; one that has gone on for long does
 * not count as work for which a call of the program waits (`is_endless`).
 *
 * A loop with a kernel that is not executed runs once: nothing might ever end it.
 */
#pragma once

#include "simulator/driver/schedule/op.h"
#include "simulator/executor/executor.h"

struct sim_graph_launch;
struct sim_plan;
struct sim_plan_node;

/* Of a conditional node of a plan; without a node, what gives all conditions of the plan their
 * default values. NULL: out of memory. */
struct sim_decision *sim_decision_new(struct sim_graph_launch *launch, struct sim_plan *plan,
				      const struct sim_plan_node *node);

/* The turn of such an op: the answer is EXEC_POLLS for a loop that has nothing to wait for; else
 * the op waits for what it has enqueued if that has not ended. */
enum exec_progress sim_decision_take(struct sim_op *op, CUresult *result);

/* Its last turn is over; expects the lock, drops it meanwhile. */
void sim_decision_end(struct sim_decision *decision);

/* NULL is let pass. */
void sim_decision_free(struct sim_decision *decision);
