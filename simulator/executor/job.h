/* Jobs: what the runs of one launch share. */
#pragma once

#include <stdatomic.h>

#include "simulator/executor/warp.h"

struct exec_job {
	const struct exec_launch *launch;
	unsigned char *params;		       /* owned; as long as the kernel reads */
	_Alignas(8) unsigned char meeting[16]; /* a barrier of all blocks, as kernels keep it */
	uint64_t clusters;
	uint32_t cluster_blocks;
	atomic_uint_fast64_t next;	/* cluster to begin */
	atomic_uint_fast64_t under_way; /* blocks */
	atomic_uint_fast64_t failed;	/* the first block that has; UINT64_MAX: none */
	atomic_uint_fast64_t instructions;
	atomic_bool is_paused;	/* runs come back although they have more to do */
	atomic_bool has_waited; /* a thread, for the grids before */
	atomic_flag is_failing; /* guards `outcome`, */
	atomic_flag is_joining; /* and the launch's `touched` and `hazards` */
	struct exec_outcome outcome;
	struct exec_race *race; /* owned; or NULL */
};

/* A block has failed; it and all blocks after it are over. */
void exec_job_fail(struct exec_job *job, uint64_t block, const struct exec_outcome *outcome);

/* A cluster need not go on: one of its blocks has failed, or one before it. */
static inline bool exec_job_is_over(const struct exec_job *job, const struct exec_cluster *c)
{
	return atomic_load_explicit(&job->failed, memory_order_relaxed) < c->number + c->count;
}

/* The numbers below `count`, in an order that follows from the seed and the number of the turn. */
void exec_job_shuffle(uint64_t seed, uint64_t turn, uint32_t count, uint8_t *order);

static inline bool exec_launch_is_stopped(const struct exec_launch *l)
{
	return (l->stop && atomic_load_explicit(l->stop, memory_order_relaxed)) ||
	       (l->give_up && atomic_load_explicit(l->give_up, memory_order_relaxed));
}
