/* The crew: threads that run blocks of kernels beside the device's workers.
 *
 * An effort is the execution of one launch. The worker whose turn it is works on it, and as many of
 * the crew as there are blocks for; with STREAMCHECK_SIM_WORKERS=1 there is no crew, and blocks
 * begin in their order, one after the other. An effort whose blocks all wait gives its threads
 * back, so that what they wait for can run. The crew has a lock of its own, under which no other is
 * taken.
 */
#pragma once

#include "simulator/executor/executor.h"

struct sim_effort;

/* Reads the environment; starts no thread. */
void sim_crew_init(void);

/* Starts the threads if the launch is large enough for them. Within a call of the program, so that
 * a tool that watches threads does not take them for the program's. */
void sim_crew_prepare(const struct exec_launch *launch);

/* The launch must stay as long as the effort. NULL: out of memory. */
struct sim_effort *sim_effort_new(const struct exec_launch *launch);

/* Works on it, with the crew, until it has ended or waits, or its slice of time is over. */
enum exec_progress sim_effort_work(struct sim_effort *effort);

/* Nobody works on it. */
void sim_effort_free(struct sim_effort *effort, struct exec_outcome *outcome);
