/* Hazards: pairs of accesses to shared memory by two threads of a block that nothing orders
 * (watch.h), by the places in the code where they are made. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define EXEC_HAZARDS_MOST 16 /* of a launch: pairs of places */

/* One of the two accesses. */
struct exec_hazard_side {
	uint32_t thread[3];
	bool is_write;
	bool is_copy;	/* cp.async, for which its thread has not waited */
	bool is_atomic; /* or volatile, or ordered: one that others may make at the same time */
	uint32_t ptx_line;
	const char *file; /* of the source, borrowed from the program; NULL: not known */
	uint32_t line;
};

struct exec_hazard {
	struct exec_hazard_side side[2]; /* in the order of this run */
	uint32_t block[3];
	uint32_t offset; /* in the block's shared memory */
	uint64_t count;	 /* of such pairs of accesses */
};

/* Of a launch; empty: all zero. */
struct exec_hazards {
	struct exec_hazard items[EXEC_HAZARDS_MOST];
	uint32_t count;
};
