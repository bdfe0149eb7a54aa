/* Hazards: pairs of accesses by two threads of a launch that nothing orders, to the shared memory
 * of a block (watch.h) or to global memory (race.h), by the places in the code where they are made.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define EXEC_HAZARDS_MOST 16 /* of a launch: pairs of places */

struct exec_kernel;
struct sc_instruction;
struct sc_ptx;

/* One of the two accesses. */
struct exec_hazard_side {
	uint32_t block[3];
	uint32_t thread[3];
	bool is_write;
	bool is_copy;	  /* cp.async, for which its thread has not waited */
	bool is_atomic;	  /* or volatile, or ordered: one that others may make at the same time */
	bool is_volatile; /* of these: neither an atomic nor ordered */
	bool is_narrow;	  /* of atomics: for the threads of its block only */
	bool is_end;	  /* no access, but the end of the block whose memory it is */
	uint32_t ptx_line;
	const char *file; /* of the source, borrowed from the program; NULL: not known */
	uint32_t line;
};

struct exec_hazard {
	struct exec_hazard_side side[2]; /* in the order of this run */
	uint64_t address;		 /* in global memory; 0: in shared memory, */
	uint32_t offset;		 /* in that of this block */
	uint32_t owner[3];
	uint64_t count; /* of such pairs of accesses */
	/* What was there before the second access, and is after it; of up to 4 bytes, 0: not known.
	 */
	uint32_t before, after;
	uint8_t value_bytes;
};

/* Which pair of accesses an item counts: two instructions, and how they access. */
struct exec_hazard_pair {
	uint64_t at[2]; /* whatever names them in the launch */
	uint32_t ways;
	uint32_t item; /* + 1; 0: none is remembered */
};
#define EXEC_HAZARD_PAIRS 8

/* Of a launch; empty: all zero. */
struct exec_hazards {
	struct exec_hazard items[EXEC_HAZARDS_MOST];
	uint32_t count;
	struct exec_hazard_pair pairs[EXEC_HAZARD_PAIRS]; /* some, by a hash */
};

/* Counts a pair that was remembered, as a loop makes the same one again and again. False: it has to
 * be added, which may make another example of it, as the second access is of that block. */
bool exec_hazards_again(struct exec_hazards *all, const struct exec_hazard_pair *pair,
			const uint32_t *block, uint64_t count);

/* Adds one; of those of the same places the example of the first block stays, whichever threads ran
 * the blocks. Dropped if there are too many. Remembers the pair, if there is one. */
void exec_hazards_add(struct exec_hazards *to, const struct exec_hazard *h,
		      const struct exec_hazard_pair *pair);
/* Adds the second's to the first. */
void exec_hazards_join(struct exec_hazards *to, const struct exec_hazards *from);
/* The place in the code of an instruction that the kernel, or a function of it, has. NULL: none. */
void exec_hazard_set_place(struct exec_hazard_side *s, const struct exec_kernel *k,
			   const struct sc_instruction *at);
/* The source file of that number; NULL: not known. */
const char *exec_file_name(const struct sc_ptx *m, uint32_t number);
