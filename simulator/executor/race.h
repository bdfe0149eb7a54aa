/* Watching global memory: accesses of two threads of a launch that nothing orders are a hazard.
 *
 * Order is kept as clocks of warps, over all blocks that are watched: the first ones, some of the
 * others, and the last one, in clusters all of one. It is what the program asks for, with scopes:
 * - barriers of a block, and all words in shared memory that its threads notify each other by;
 * - words in global memory: who writes one by an atomic, a volatile or an ordered store, or by the
 *   first store after a fence, publishes what was before its last fence (or all, if it releases);
 *   who reads one so knows what was published there. Of fences and atomics of a block's scope that
 *   is so for its own threads. A comparison and swap needs a fence after it, or a barrier.
 * Where in doubt two accesses count as ordered. Blocks that are not watched pass on what they know.
 *
 * No hazard are two atomics or ordered accesses (of the same block, if one is of a block's scope),
 * accesses by one instruction of one warp, and writes that change nothing. Not watched are launches
 * of one warp, clusters of more than 256, bulk copies, textures, and what a launch does after so
 * many accesses.
 */
#pragma once

#include "simulator/executor/code/kernel.h"
#include "simulator/executor/touched.h"

struct exec_block;
struct exec_launch;
struct exec_race;
struct exec_region;
struct exec_warp;

/* What a launch knows of its global memory; NULL: nothing is watched, or no memory for this. */
struct exec_race *exec_race_new(const struct exec_launch *l, uint64_t clusters);
/* Puts what was found where the launch wants it. NULL is let pass. */
void exec_race_end(struct exec_race *race);

/* A block begins; it has ended; what it knows goes. */
void exec_race_start(struct exec_block *b);
void exec_race_finish(struct exec_block *b);
void exec_race_drop(struct exec_block *b);

/* Threads may notify each other by what it accesses. */
static inline bool exec_race_may_notify(const struct exec_instruction *in, enum exec_use use)
{
	return in->polls || in->order & EXEC_ORDER_UNCACHED ||
	       (use != EXEC_READ && use != EXEC_WRITE);
}

/* The lanes are about to access so many bytes of that memory. */
void exec_race_access(struct exec_warp *w, const struct exec_instruction *in, uint32_t lanes,
		      const uint64_t *address, const struct exec_region *r, unsigned bytes,
		      enum exec_use use);

/* The thread takes or gives memory of the heap, whose lock orders all that do. */
void exec_race_notify_by_heap(struct exec_warp *w);

void exec_race_fence(struct exec_warp *w, const struct exec_instruction *in);
/* As of watch.h. */
void exec_race_arrive(struct exec_warp *w, uint32_t barrier);
void exec_race_arrive_relaxed(struct exec_warp *w);
void exec_race_leave(struct exec_warp *w, uint32_t barrier);
void exec_race_end_phase(struct exec_block *b, uint32_t barrier);
void exec_race_meet(struct exec_warp *w);
