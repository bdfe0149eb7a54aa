/* Blocks of a launch: one piece of memory each, in which one block after the other runs. */
#pragma once

#include "simulator/executor/warp.h"

/* The lane's threadIdx. */
static inline uint32_t exec_thread_x(const struct exec_warp *w, uint32_t lane)
{
	return (w->first_thread + lane) % w->run->launch->block[0];
}

static inline uint32_t exec_thread_y(const struct exec_warp *w, uint32_t lane)
{
	return (w->first_thread + lane) / w->run->launch->block[0] % w->run->launch->block[1];
}

static inline uint32_t exec_thread_z(const struct exec_warp *w, uint32_t lane)
{
	return (w->first_thread + lane) / w->run->launch->block[0] / w->run->launch->block[1];
}

/* Memory for a block of the run, its warps, and what they have; NULL: there is none. */
struct exec_block *exec_block_new(struct exec_run *run);

/* NULL is let pass. */
void exec_block_free(struct exec_block *b);

/* The block of that rank in a cluster begins. */
void exec_block_start(struct exec_block *b, struct exec_cluster *c, uint32_t rank);

/* Lets it run until it ends or fails, or others must have their turn. */
enum exec_progress exec_block_run(struct exec_block *b);

/* It need not go on: a block of its cluster has failed, or of one before it. */
bool exec_block_is_over(const struct exec_block *b);

/* All its warps wait for others. */
bool exec_block_waits(const struct exec_block *b);

/* Lanes of a block that waits go on without others that never came; false: there are none. */
bool exec_block_force(struct exec_block *b);

/* The launch fails, since the block waits for ever. */
void exec_block_report_stuck(struct exec_block *b);
