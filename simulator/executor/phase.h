/* The phase of a block's barrier: how many threads have arrived, and how they voted. For warp.h. */
#pragma once

#include <stdint.h>

/* Numbers of barriers, after those that programs name and the cluster's: of warpgroups. */
#define EXEC_GROUP_BARRIER (EXEC_BARRIERS + 1) /* of the first one of a block */
#define EXEC_GROUP_WARPS   4
#define EXEC_ALL_BARRIERS  (EXEC_GROUP_BARRIER + EXEC_WARPS / EXEC_GROUP_WARPS)

struct exec_instruction;
struct exec_warp;

/* Gives what a barrier counted to lanes that waited in an instruction: how many were for it, of how
 * many. */
typedef void exec_deliver(struct exec_warp *w, const struct exec_instruction *in, uint32_t lanes,
			  uint32_t for_it, uint32_t all);

struct exec_barrier {
	uint32_t arrived;  /* threads */
	uint32_t expected; /* 0: all that live */
	uint32_t voted;	   /* lanes, and those of them that were for it */
	uint32_t for_it;
	exec_deliver *deliver; /* or NULL: no thread votes */
};
