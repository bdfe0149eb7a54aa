/* Watching shared memory: accesses of two threads of a block, or of a cluster, that nothing orders
 * are a hazard.
 *
 * Order is kept as clocks of warps: a barrier joins those that arrive into those that wait, and so
 * does a word that is accessed by atomics, by volatile or ordered loads and stores, or is a barrier
 * in memory, wherever it lies. Lanes of a warp are ordered when they meet (bar.warp.sync, and each
 * other instruction in which they take part together), not by running in step. Where in doubt two
 * accesses count as ordered: what is found has no order that the program asked for.
 *
 * A copy of cp.async is there for nobody before its thread has waited for it; a bulk copy that a
 * barrier in memory counts is not before some thread has seen that barrier's phase end.
 *
 * No hazard are accesses by one instruction of one warp, two of which one is an atomic if both are,
 * a second write of the same bytes, and two plain writes (unread.h) as long as nobody reads what
 * they left. Of many blocks some are watched, and no clusters of more than 256 warps.
 */
#pragma once

#include "simulator/executor/hazard.h"
#include "simulator/executor/touched.h"

struct exec_warp;
struct exec_block;
struct exec_cluster;
struct exec_instruction;

/* What the blocks of a cluster, or a block that is none of a cluster, know of their shared memory.
 */
struct exec_watch;

/* For one that has its blocks. NULL: nothing is watched, since the launch does not want it, there
 * is no shared memory, or no memory for this. */
struct exec_watch *exec_watch_new(const struct exec_cluster *c);
/* NULL is let pass, here and by all others. */
void exec_watch_free(struct exec_watch *watch);
/* The blocks of a cluster begin; one of them has ended. */
void exec_watch_start(struct exec_cluster *c);
void exec_watch_end(struct exec_block *b);

/* The lanes are about to access so many bytes of shared memory, or of a word by which threads
 * notify each other. */
void exec_watch_access(struct exec_warp *w, const struct exec_instruction *in, uint32_t lanes,
		       const uint64_t *address, unsigned bytes, enum exec_use use, bool is_shared);
/* So many bytes at an offset of the block's shared memory are read by an instruction whose reads
 * are not looked at (wgmma): pairs of writes there have a reader. */
void exec_watch_read(const struct exec_block *b, uint32_t offset, unsigned bytes);

/* What the running path writes from now on is written by asynchronous copies (cp.async); or no
 * longer is. It closes a group of these; it has waited for all groups but the last ones, and for
 * copies of no group if `all`. Only then are they there for their own thread. */
void exec_watch_copies(struct exec_warp *w, bool are_async);
void exec_watch_commit(struct exec_warp *w, uint32_t lanes);
void exec_watch_wait(struct exec_warp *w, uint32_t lanes, uint64_t groups_left, bool all);

/* What the running path writes from now on is written by a bulk copy, until the barrier in memory
 * counts its bytes. A lane has seen that a phase of such a barrier is over: what it has counted is
 * there, and what was copied before. */
void exec_watch_bulk(struct exec_warp *w);
void exec_watch_bulk_counted(struct exec_warp *w, uint64_t barrier);
void exec_watch_bulk_wait(struct exec_warp *w, uint64_t barrier);

/* A warp arrives at a barrier, at the cluster's perhaps with no more than what it knew at its last
 * fence; it leaves it, with all that arrived before, at the cluster's in the phase that has ended;
 * its phase ends. */
void exec_watch_arrive(struct exec_warp *w, uint32_t barrier);
void exec_watch_arrive_relaxed(struct exec_warp *w);
void exec_watch_fence(struct exec_warp *w);
void exec_watch_leave(struct exec_warp *w, uint32_t barrier);
void exec_watch_end_phase(struct exec_block *b, uint32_t barrier);
/* Lanes of the warp take part in one instruction together. */
void exec_watch_meet(struct exec_warp *w);
