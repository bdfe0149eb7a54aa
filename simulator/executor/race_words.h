/* Words by which threads notify each other: what was published there, as a clock of warps. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct exec_race_word;

/* Empty: all zero. One thread at a time changes it; others may ask whether it is empty. */
struct exec_race_words {
	struct exec_race_word *table; /* owned; of `room` places */
	size_t room;
	atomic_size_t count;
};

/* What was published at an address; NULL: nothing. */
const uint32_t *exec_race_words_find(const struct exec_race_words *words, uint64_t address);
/* The same, to publish there: a clock of `width` warps. NULL: out of memory. */
uint32_t *exec_race_words_get(struct exec_race_words *words, uint64_t address, uint32_t width);
void exec_race_words_fini(struct exec_race_words *words);
