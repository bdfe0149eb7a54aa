/* When ops run: the queues, the workers, and the three schedules.
 *
 * A schedule is chosen by STREAMCHECK_SIM_SCHEDULE and answers two questions: may this ready op run
 * now, and which of those that may runs first.
 *   eager        ready ops run at once, on several workers; host functions when the thread that
 *                submitted them waits or has used its processor for a while (submitter.h), or with
 * a demand: whether they come before what it does next does not depend on the machine; random:SEED
 * a ready op runs after some further steps of the host: ops that it submits, questions that are
 * answered by "not ready". How many, and which of several ops goes first, follows from SEED, the
 * op's stream and its place there. What is due runs before the call returns, so that the same calls
 * find the same work, however fast the machine is. SEED also turns the order of warps and blocks
 * (executor.h). What is demanded runs at once; host functions as
 * with lazy; lazy         an op runs only when it is demanded: a host waits for it, a host keeps
 * asking for it, or a demanded op depends on it. Host functions are demanded by the passing of
 *                time, since signalling from one is a documented way to wait for a stream (C-1),
 *                and so are writes of values; waiting for a value demands whatever could write it.
 *                The passing of time: the process used its processors for a while, or slept long.
 * Demand spreads to everything before an op.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "simulator/driver/schedule/op.h"

/* So many NOT_READY answers in a row oblige the device to make progress (S-12). */
#define SIM_PATIENCE 3

/* Reads the environment; starts no thread. */
void sim_schedule_init(void);

/* Starts the workers if they are not running yet; false when there are no threads left. */
bool sim_schedule_start(void);

/* Hands an op over whose dependencies are complete; it may finish inside the call. */
void sim_schedule_submit(struct sim_op *op);

/* The op and everything before it may no longer be put off. */
void sim_schedule_demand(struct sim_op *op);

/* Demands the op and blocks until it is done; drops the lock meanwhile. NULL is done. */
void sim_schedule_wait(struct sim_op *op);

/* The host got the answer "not ready". */
void sim_schedule_asked(void);

/* At the end of a call: with `random`, returns when what is due has run; drops the lock meanwhile.
 */
void sim_schedule_settle(void);

/* True for `lazy`: transfers of pageable memory take place at the last permitted moment. */
bool sim_schedule_is_lazy(void);

/* With `random`, the seed of the order of a launch's threads, by its id; otherwise 0. */
uint64_t sim_schedule_seed(uint64_t id);

/* A coin for what a driver may or may not do: eager no, lazy yes, random by seed and id. */
bool sim_schedule_may_defer(uint64_t id);
