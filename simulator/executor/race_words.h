/* Words by which threads notify each other: what was published there, as a clock of warps.
 *
 * An atomic of a warp publishes the same at up to 32 words, and reads it there again and again. So
 * words share notices, and a reader that knows as much of the publishing warp as the notice says
 * knows all of it: a warp's time goes on after what it has learned since it published last.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXEC_RACE_WORD_BYTES 8 /* barriers in memory have as many */
/* Of a block's shared memory, whose words follow on those of the block before in its cluster. */
#define EXEC_RACE_ROW_BYTES(shared_bytes) \
	(((shared_bytes) + EXEC_RACE_WORD_BYTES - 1) & ~(EXEC_RACE_WORD_BYTES - 1U))

struct exec_race_word;

/* Counted. One that several words have is never changed. */
struct exec_race_notice {
	uint32_t refs;
	uint32_t from;	    /* the warp whose whole clock it is, */
	uint32_t time;	    /* at this time of it; UINT32_MAX: it is joined of several, */
	bool orders_writes; /* and the first half is not all zero (race_state.h) */
	uint32_t clock[];
};

/* Empty: all zero but `width` and `near_most`. One thread at a time changes it; others may ask
 * whether it is empty. */
struct exec_race_words {
	uint32_t width;			/* of a clock, in numbers */
	uint32_t near_most;		/* words at addresses from 0 on, as in shared memory */
	uint32_t near_count;		/* so many, or 0 before the first notice of one */
	struct exec_race_notice **near; /* owned; of these */
	struct exec_race_word *table;	/* owned; of `room` places: all others */
	size_t room;
	atomic_size_t count; /* of words with a notice */
};

/* Four numbers of a clock at once. Times stay below INT32_MAX, since processors compare signed ones
 * in fewer steps. */
typedef int32_t exec_times __attribute__((vector_size(16), aligned(4), may_alias));

static inline void exec_clock_join(uint32_t *to, const uint32_t *from, uint32_t count)
{
	uint32_t i = 0;

#pragma GCC unroll 4
	for (; i + 4 <= count; i += 4) {
		exec_times a = *(const exec_times *)(to + i), b = *(const exec_times *)(from + i);
		exec_times later = b > a;

		*(exec_times *)(to + i) = (b & later) | (a & ~later);
	}
	for (; i < count; i++)
		to[i] = from[i] > to[i] ? from[i] : to[i];
}

/* All that the warp knows. The caller puts it. NULL: out of memory. */
struct exec_race_notice *exec_race_notice_new(const struct exec_race_words *words, uint32_t warp,
					      const uint32_t *clock);
/* NULL is let pass. */
void exec_race_notice_put(struct exec_race_notice *notice);

/* Who has that clock knows what the notice says. */
static inline bool exec_race_knows(const uint32_t *clock, const struct exec_race_notice *notice)
{
	return clock[notice->from] >= notice->time;
}

const struct exec_race_notice *exec_race_words_find_far(const struct exec_race_words *words,
							uint64_t address);

/* What was published at an address; NULL: nothing. */
static inline const struct exec_race_notice *
exec_race_words_find(const struct exec_race_words *words, uint64_t address)
{
	uint64_t number = address / EXEC_RACE_WORD_BYTES;

	if (number < words->near_count)
		return words->near[number];
	return words->room ? exec_race_words_find_far(words, address) : NULL;
}

bool exec_race_words_join(struct exec_race_words *words, uint64_t address,
			  struct exec_race_notice *notice);

/* Publishes that there, beside what is. False: out of memory. */
static inline bool exec_race_words_add(struct exec_race_words *words, uint64_t address,
				       struct exec_race_notice *notice)
{
	uint64_t number = address / EXEC_RACE_WORD_BYTES;
	struct exec_race_notice *old = number < words->near_count ? words->near[number] : NULL;

	if (!old || old->refs == 1 || !exec_race_knows(notice->clock, old))
		return exec_race_words_join(words, address, notice);
	old->refs--;
	notice->refs++;
	words->near[number] = notice;
	return 1;
}

/* The notice of an address alone, to publish there. NULL: out of memory. */
struct exec_race_notice *exec_race_words_own(struct exec_race_words *words, uint64_t address);
/* Forgets all. */
void exec_race_words_fini(struct exec_race_words *words);
