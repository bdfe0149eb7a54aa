/* The paths into which a warp divides, and the joins where they meet again. For warp.h, which says
 * how. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct exec_frame;
struct exec_instruction;

#define EXEC_NO_JOIN	 (-1)
#define EXEC_PATH_TURNS	 16 /* loops of a path that only polls before another has its turn */
#define EXEC_PATH_SLICES 16 /* as many times more loops of any other path */
#define EXEC_PATH_ROUNDS 64 /* of turns, before lanes at a join no longer wait for it; */
#define EXEC_PATH_POLLS	 16 /* for one that polls */

enum exec_path_state {
	EXEC_PATH_READY,
	EXEC_PATH_AT_BARRIER, /* `barrier` */
	EXEC_PATH_GATHERS     /* waits for other lanes of the warp, to run `next` with them */
};

struct exec_path {
	const struct exec_instruction *next;
	struct exec_frame *frame;
	uint32_t lanes;
	uint32_t gathering; /* then: those whose guard holds */
	int8_t join;	    /* where it goes to, or EXEC_NO_JOIN */
	uint8_t state;	    /* enum exec_path_state */
	uint8_t barrier;
	bool votes; /* in the barrier */
};

struct exec_join {
	const struct exec_instruction *at;
	struct exec_frame *frame; /* only paths in it meet there */
	uint32_t expected;
	uint32_t arrived;
	int8_t outer; /* the join around it in the frame */
};
