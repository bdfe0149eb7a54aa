/* What is kept of shared memory that is watched. */
#pragma once

#include "simulator/executor/block.h"
#include "simulator/executor/race_words.h"
#include "simulator/executor/unread.h"

#define EXEC_WATCH_READS 2
#define EXEC_WATCH_BULK	 (UINT32_C(1) << 31)
/* Barriers that count bytes of bulk copies; with more these are not watched. */
#define EXEC_WATCH_BARRIERS 32
/* Pairs of an instruction; more are not told. */
#define EXEC_WATCH_PENDING (EXEC_LANES * (EXEC_WATCH_READS + 1))

struct exec_watch_cell {
	uint32_t number; /* of the cluster that used it last */
	uint32_t group;	 /* of asynchronous copies, that of the last write; 0: it is none; of bulk
			  * copies, EXEC_WATCH_BULK and its number */
	struct exec_watch_use write;
	struct exec_watch_use reads[EXEC_WATCH_READS];
};

struct exec_watch {
	uint32_t number;      /* of the cluster, from 1 */
	uint32_t warps;	      /* of all its blocks, */
	uint32_t block_warps; /* and of one */
	uint32_t block_bytes; /* of its shared memory: a block's offsets follow on the last one's */
	size_t number_count;
	uint32_t *numbers;	      /* owned: all that follow; rows of a number for each warp */
	uint32_t *clocks;	      /* of each warp: what it knows of all, and its own time; */
	uint32_t *fenced;	      /* that at its last fence, in clusters; */
	uint32_t *barriers;	      /* of each block; then the cluster's: now, and over */
	uint32_t *met;		      /* of each warp: before this time its lanes are ordered */
	uint32_t (*open)[EXEC_LANES]; /* group of the next copy, from 1 */
	uint32_t (*done)[EXEC_LANES]; /* the last group that was waited for */
	bool has_guests;	      /* a block's memory was used by another block */
	bool is_copying;
	bool is_bulk;	       /* the running path writes by a bulk copy, */
	uint32_t bulks;	       /* the last one of so many, */
	uint32_t bulks_waited; /* and somebody has waited for these */
	struct {
		uint32_t offset; /* of a barrier */
		uint32_t bulk;	 /* the last one that it has counted */
	} counters[EXEC_WATCH_BARRIERS];
	uint32_t counter_count;
	struct exec_race_words words; /* by which its threads notify each other */
	struct exec_watch_pair pending[EXEC_WATCH_PENDING]; /* writes that have not taken place */
	unsigned pending_count;
	struct exec_unread unread;
	struct exec_watch_cell cells[];
};

static inline unsigned exec_watch_index(const struct exec_warp *w)
{
	return w->block->rank * w->block->warp_count + w->first_thread / EXEC_LANES;
}

/* Of an address in shared memory, which may be that of another block. */
static inline uint32_t exec_watch_offset(const struct exec_block *b, uint64_t address)
{
	return exec_rank_of(b, (uint32_t)address) * b->watch->block_bytes +
	       (uint32_t)(address & EXEC_OFFSET_MASK);
}
