/* An op: one piece of enqueued work and what must be done before it.
 *
 * Streams, events and graphs only ever say "after these ops": an op counts the unfinished ops that
 * it waits for, and each op knows who waits for it. A stream is then just its last op. Counted:
 * streams, events, waiting hosts and followers hold references; a finished op keeps no others.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "simulator/driver/schedule/submitter.h"
#include "simulator/driver/schedule/work.h"

enum sim_op_state { SIM_OP_WAITING, SIM_OP_READY, SIM_OP_RUNNING, SIM_OP_DONE };

struct sim_op {
	unsigned int refs;
	unsigned int blockers; /* unfinished ops that this one waits for */
	enum sim_op_state state;
	bool is_demanded;  /* somebody waits for it: see schedule.h */
	bool is_endless;   /* of a graph's loop that does not seem to end */
	CUcontext context; /* borrowed; whose sticky error it reports and obeys */
	int priority;	   /* lower runs first */
	uint64_t stream_id;
	uint64_t index;	   /* in its stream */
	uint64_t number;   /* from 1, among what its stream or graph does; 0: nothing */
	uint64_t place;	   /* of the node that it runs, from 1, unless in an inner graph */
	uint64_t due_step; /* set by the schedule, which knows what it means */
	uint64_t since_ns; /* when it was submitted */
	uint64_t since_processor_ns; /* and what the process had used of its processors by then */
	struct sim_submitter submitter;
	uint64_t look_ns;   /* when to look at it again */
	uint64_t start_ns;  /* it began to run */
	uint64_t resume_ns; /* of a kernel that waits: when it has its next turn */
	unsigned int waits; /* turns of a kernel that did not end it */
	unsigned int polls; /* the last ones of them, in which it did nothing but poll */
	bool is_counted;    /* among the ops that run, for which a call may wait */
	uint64_t done_ns;
	unsigned int correlation; /* of the call that enqueued it (observe.h) */
	struct sim_op **before;	  /* owned, counted; the ops that it waits for */
	size_t before_count;
	size_t before_capacity;
	struct sim_op **after; /* owned, counted; the ops that wait for it */
	size_t after_count;
	size_t after_capacity;
	struct sim_op *next; /* in one of the schedule's queues */
	struct sim_op *prev;
	struct sim_op *next_visit; /* while demands spread */
	struct sim_op *next_found; /* in a search through dependencies (pair.c) */
	uint64_t search;	   /* the last one that found it */
	struct sim_alloc *ends;	   /* allocations that end with it, linked by `next_end` */
	struct sim_work work;
};

/* A new op without dependencies; takes the work's references over. NULL when out of memory. */
struct sim_op *sim_op_new(CUcontext context, const struct sim_work *work);

/* `op` runs after `before`; no effect if that is NULL or done. False when out of memory. */
bool sim_op_after(struct sim_op *op, struct sim_op *before);

/* The allocation, freed by a call, ends when the op does. */
void sim_op_end_memory(struct sim_op *op, struct sim_alloc *alloc);

/* Ends the op: its followers have one blocker less; each one that is free is given to `ready`. */
void sim_op_finish(struct sim_op *op, void (*ready)(struct sim_op *));

/* A running op that has nothing before it any more forgets what was: it is about to wait again. */
void sim_op_forget(struct sim_op *op);

/* Drops a new op that will not be submitted. */
void sim_op_abandon(struct sim_op *op);

static inline bool sim_op_is_done(const struct sim_op *op)
{
	return !op || op->state == SIM_OP_DONE;
}

void sim_op_get(struct sim_op *op);
void sim_op_put(struct sim_op *op);

/* Replaces a counted reference. */
void sim_op_set(struct sim_op **reference, struct sim_op *op);
