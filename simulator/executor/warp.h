/* The state of a launch that runs: run, blocks, warps, and the paths into which a warp divides.
 *
 * Lanes of a warp that took different ways are different paths, of which one runs at a time. A
 * join is a place where paths meet again: those that arrive wait until all lanes that it expects
 * have arrived or exited, and go on as one path. Paths have disjoint lanes, and each join lacks
 * at least one lane of the join around it, so there are at most as many of either as lanes. Lanes
 * at a join stop waiting for a path that loops for long, above all if it polls, as it may for them.
 */
#pragma once

#include <string.h>

#include "simulator/executor/executor.h"
#include "simulator/executor/divided.h"
#include "simulator/executor/hazard.h"
#include "simulator/executor/phase.h"
#include "simulator/executor/shape.h"
#include "simulator/executor/stack.h"
#include "simulator/executor/touched.h"
#include "simulator/executor/window.h"

#define EXEC_BARRIERS	     16
#define EXEC_CLUSTER_BARRIER EXEC_BARRIERS /* its number for paths that wait there */
#define EXEC_WARPS	     32		   /* of a block */
#define EXEC_TEXTURES	     64		   /* of a run, remembered */

enum exec_warp_state {
	EXEC_WARP_RUNS,
	EXEC_WARP_YIELDS, /* a path loops, others may have their turn */
	EXEC_WARP_WAITS,  /* no path is ready */
	EXEC_WARP_ENDED
};

struct exec_warp {
	/* Of the path that runs; the rest of it is in `path`. */
	const struct exec_instruction *next;
	uint32_t active;
	uint32_t state; /* enum exec_warp_state */
	unsigned char *bank[EXEC_BANKS];
	struct exec_block *block;
	struct exec_run *run;
	uint32_t live; /* lanes that have not exited */
	uint32_t current;
	uint32_t turns, slices; /* loops left for the paths; times that it got more */
	uint32_t rounds;	/* of turns that it has used up */
	bool polls;		/* in this turn it has read what others may change, */
	bool wrote;		/* and has changed what others may read */
	uint32_t used_paths;	/* bits */
	uint32_t used_joins;
	uint32_t at_cluster; /* bits: lanes that have arrived at the barrier of the cluster */
	uint32_t waited;     /* bits: lanes that have waited for the grids before */
	uint32_t carry;	     /* bits: of each lane, what add.cc and the like left (op_carry.c) */
	bool fails_assertion;
	bool is_forced; /* the next gathering takes place with those that are there */
	uint32_t first_thread;
	struct exec_frame *frame; /* of the running path */
	struct exec_stack stack;
	unsigned char *registers; /* in the block's memory: the kernel's, */
	unsigned char *local;	  /* and local memory for its variables */
	struct exec_path path[EXEC_LANES];
	struct exec_join join[EXEC_LANES];
	struct exec_span spans[EXEC_HINTS];
	struct exec_known known[EXEC_KNOWN];
};

struct exec_block {
	struct exec_run *run;
	struct exec_cluster *cluster; /* borrowed */
	uint32_t rank;		      /* in it */
	uint32_t at[3];
	uint32_t in_cluster[3];
	uint32_t live;		     /* threads */
	bool has_waited;	     /* one of its threads, for the grids before */
	uint32_t warp_count, rounds; /* of turns that its warps have had */
	uint32_t shared_bytes;
	unsigned char *shared; /* owned, with all that follows, by `memory` */
	struct exec_warp *warps;
	void *memory;
	struct exec_barrier barriers[EXEC_ALL_BARRIERS];
	struct exec_watch *watch; /* the cluster's; NULL: its shared memory is not watched now */
	struct exec_race_block *race; /* the cluster's; NULL: global memory is not watched, */
	bool sees_all; /* or each access; otherwise words by which threads notify each other */
};

/* Blocks that run beside each other in one run and reach each other's shared memory (cluster.h). */
struct exec_cluster {
	struct exec_run *run;
	uint64_t number; /* of its first block, counted in the order in which clusters begin */
	uint32_t at[3];
	uint32_t count;				      /* blocks */
	uint32_t arrived;			      /* living threads, at its barrier */
	struct exec_block *blocks[EXEC_CLUSTER_MOST]; /* owned */
	struct exec_watch *watch;		      /* owned; NULL: none is ever watched */
	struct exec_cluster *next;		      /* of those that are under way */
};

/* What one thread does of a launch (job.c). */
struct exec_run {
	struct exec_job *job;
	const struct exec_launch *launch;
	const struct exec_kernel *kernel;
	struct exec_outcome *outcome; /* its own: instructions */
	unsigned char *params;	      /* the job's; as long as the kernel reads */
	struct exec_span *spans;      /* owned; all that were found */
	size_t span_count;
	struct exec_touched touched[EXEC_PHASES]; /* if the launch wants it, as */
	struct exec_hazards hazards;
	struct exec_race *race; /* the job's, or NULL */
	/* Objects that were found, by the last bits of their handles. */
	struct {
		uint64_t handle;
		const struct exec_texture *texture; /* NULL: none */
	} textures[EXEC_TEXTURES];
};

/* Sets of bytes that a launch of the kernel touches. */
static inline unsigned exec_phases(const struct exec_kernel *k)
{
	return k->waits ? EXEC_PHASES : 1;
}

/* Blocks of a cluster in one dimension. */
static inline uint32_t exec_cluster_extent(const struct exec_launch *l, unsigned d)
{
	return l->cluster[d] ? l->cluster[d] : 1;
}

/* The rank of the block in whose shared memory an address lies. */
static inline uint32_t exec_rank_of(const struct exec_block *b, uint32_t address)
{
	return address >> EXEC_RANK_SHIFT ? (address >> EXEC_RANK_SHIFT) - 1 : b->rank;
}

/* The lanes of an operand. */
static inline void *exec_lanes(const struct exec_warp *w, exec_slot slot)
{
	return w->bank[slot & 3] + (slot & ~UINT32_C(3));
}

static inline uint32_t exec_predicate(const struct exec_warp *w, const struct exec_instruction *in,
				      unsigned k)
{
	uint32_t bits;

	memcpy(&bits, exec_lanes(w, in->slot[k]), sizeof(bits));
	return in->negated >> k & 1 ? ~bits : bits;
}

/* The lanes that execute the instruction. */
static inline uint32_t exec_mask(const struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t bits;

	memcpy(&bits, exec_lanes(w, in->guard), sizeof(bits));
	return w->active & (bits ^ in->guard_flip);
}

/* Ends the launch: what failed, in which lane. */
void exec_fail(struct exec_warp *w, const struct exec_instruction *in, enum exec_result result,
	       unsigned lane, uint64_t address);
