/* What watching global memory keeps of a launch, and of a block of it; for race*.c. */
#pragma once

#include <stdatomic.h>
#include <string.h>

#include "simulator/executor/block.h"
#include "simulator/executor/race_cells.h"
#include "simulator/executor/race_words.h"
#include "simulator/executor/region.h"

/* For whom a fence, an atomic or a word counts. */
enum exec_race_scope { EXEC_RACE_BLOCK, EXEC_RACE_DEVICE, EXEC_RACE_SCOPES };

struct exec_race {
	const struct exec_launch *launch;
	atomic_bool is_busy;	   /* guards what follows but the sizes and `left` */
	atomic_bool is_over;	   /* its budget is used up, or there was no memory */
	uint64_t clusters;	   /* of the launch; a block that is of none is one of its own */
	uint32_t warps;		   /* of a cluster */
	uint32_t slots;		   /* clusters that are watched */
	uint32_t width;		   /* their warps */
	atomic_uint_fast64_t left; /* words of accesses */
	struct exec_race_cells cells;
	struct exec_race_words words; /* what is published for all */
	struct exec_hazards hazards;
	uint32_t (*at)[3]; /* owned; where the blocks of slots are in the grid */
	uint64_t *locks;   /* owned; the last lock of each warp; 0: none */
	uint32_t settled;  /* accesses that have been compared */
	bool has_flags;	   /* its threads may wait for a volatile word, */
	bool talks;	   /* or notify others by atomics, fences or such words */
	bool has_narrow;   /* some of these are for the threads of a block only */
};

/* What is known of each warp: its accesses before that time are ordered before, writes by the first
 * half, and reads by the second one. A read is over when what was made of it is written, fence or
 * not. Such clocks have 2 * width numbers; those of fences, which order all, the first half. */

/* One instruction's access, as it was before it took place. */
struct exec_race_event {
	struct exec_warp *w;
	uint32_t lanes; /* 0: there is none */
	uint32_t place; /* in the code (race_event.c) */
	unsigned bytes;
	enum exec_use use;
	uint8_t order; /* enum exec_order */
	bool is_signal;
	uint32_t begun; /* accesses that were settled when it published; UINT32_MAX: it has not */
	uint64_t address[EXEC_LANES];
	uintptr_t origin;	/* of addresses here, to find bytes; 0: not of all lanes */
	char *host[EXEC_LANES]; /* of a write; NULL: through `read` and `write` */
	unsigned char before[EXEC_LANES][EXEC_ACCESS_MOST];
	/* Of a write that has taken place: its bytes, and bits: those that changed. */
	unsigned char after[EXEC_LANES][EXEC_ACCESS_MOST];
	uint16_t changed[EXEC_LANES];
};

struct exec_race_warp {
	uint32_t *clock;		      /* what it knows; at its own place its time */
	uint32_t *fenced[EXEC_RACE_SCOPES];   /* owned; that at its last fence, or NULL */
	uint32_t *unfenced[EXEC_RACE_SCOPES]; /* owned; what a swap read and no fence made known */
	bool has_unfenced[EXEC_RACE_SCOPES];
	uint64_t lock;	 /* the word that its last swap changed, until it gives it back; 0: none */
	uint8_t is_open; /* scopes for which no fence came after that swap (bits) */
	bool has_just_fenced; /* for the device, and stored nothing since */
	uint32_t met;	      /* before this time its lanes are ordered */
};

/* What those know that arrived at a barrier, and what was fenced before. */
struct exec_race_barrier {
	uint32_t *clock; /* owned, or NULL */
	uint32_t *fenced[EXEC_RACE_SCOPES];
};

/* The blocks of a cluster share one, and run one at a time. */
struct exec_race_block {
	struct exec_race *race; /* borrowed */
	uint32_t refs;		/* blocks that have not ended */
	bool is_watched;	/* otherwise it passes on what it knows, */
	bool knows_writes;	/* and does so of writes, too */
	uint32_t first;		/* its warps in clocks, from here on */
	uint32_t *clocks; /* owned: of all warps; or one for all that are not watched, or NULL */
	uint32_t barrier_count;
	struct exec_race_barrier *barriers; /* owned: each block's; the cluster's: now, and over */
	struct exec_race_words words;	    /* what is published for the block, or its cluster */
	struct exec_race_event event;
	struct exec_race_warp warps[];
};

/* Of the warps of its cluster. */
static inline uint32_t exec_race_index(const struct exec_warp *w)
{
	return w->block->rank * w->block->warp_count + w->first_thread / EXEC_LANES;
}

/* So many clocks of all warps that are watched, zero. NULL: out of memory. */
uint32_t *exec_race_new_clock(const struct exec_race *race, uint32_t count);
/* Nothing of the launch is watched from now on. */
void exec_race_give_up(struct exec_race *race);

/* Copies bytes that other threads may write meanwhile. */
static inline void exec_race_load(unsigned char *to, const char *from, unsigned bytes)
{
	uint64_t wide;
	uint32_t word;

	while (bytes) {
		uintptr_t odd = (uintptr_t)from | bytes;
		unsigned part =
			odd % sizeof(wide) ? odd % sizeof(word) ? 1 : sizeof(word) : sizeof(wide);

		if (part == sizeof(wide)) {
			wide = __atomic_load_n((const uint64_t *)from, __ATOMIC_RELAXED);
			memcpy(to, &wide, sizeof(wide));
		} else if (part == sizeof(word)) {
			word = __atomic_load_n((const uint32_t *)from, __ATOMIC_RELAXED);
			memcpy(to, &word, sizeof(word));
		} else {
			*to = __atomic_load_n((const unsigned char *)from, __ATOMIC_RELAXED);
		}
		to += part;
		from += part;
		bytes -= part;
	}
}

/* So many words are accessed, or clocks joined in the time of so many. False: the launch has had
 * more than is watched. */
bool exec_race_pay(struct exec_race *race, uint64_t words);
/* What the access has left, that has taken place, and which bytes it has changed. */
void exec_race_note_changes(struct exec_race_event *e);
/* Compares the access that has taken place with earlier ones, and notes it. Under the lock. */
void exec_race_check(struct exec_block *b);
/* A lane has taken what may be a lock, by a swap that acquires nothing. */
bool exec_race_takes_lock(const struct exec_race_event *e);
/* The number of an instruction of the running function. */
uint32_t exec_race_place(const struct exec_warp *w, const struct exec_instruction *in);
