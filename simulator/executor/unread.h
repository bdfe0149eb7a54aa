/* Unread: pairs of plain writes to shared memory that nothing orders, and whose result no thread
 * has read yet. Which of the two came last then makes no difference.
 *
 * Pairs are kept by words, those of the same two places in the code as one: the last one, with how
 * many there were. Nothing is allocated before the first pair. A word's pairs are few: each step of
 * a list is one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXEC_WATCH_WORD 4

struct sc_instruction;

/* The last access of a kind to a word. */
struct exec_watch_use {
	const struct sc_instruction *at;
	uint32_t time; /* of its warp; 0: there was none */
	uint8_t warp, lane;
	uint8_t bytes;	      /* bits: of the word */
	bool is_atomic : 1;   /* or volatile, or ordered */
	bool is_volatile : 1; /* of these: neither an atomic nor ordered */
};

/* Two accesses that collide. */
struct exec_watch_pair {
	struct exec_watch_use first, second;
	uint32_t offset;
	uint8_t bytes; /* of the second access, in this word */
	bool first_writes, is_copy;
	bool waits; /* both are plain writes: none if the second one changes nothing, or nobody
		     * reads what it left */
	unsigned char before[EXEC_WATCH_WORD], after[EXEC_WATCH_WORD];
};

struct exec_unread_pair {
	struct exec_watch_pair pair;
	uint64_t count;
	uint8_t bytes; /* bits: of the word, which differ and are not written over */
	uint32_t next; /* of the word: its index + 1; 0: none */
};

/* Empty: all zero. */
struct exec_unread {
	uint32_t *first; /* owned: of each word, its index + 1 */
	size_t words;
	struct exec_unread_pair *items; /* owned */
	uint32_t count, room;
	uint32_t unused; /* a list of items */
};

/* The second write has taken place; a pair is none if it changed nothing of what the first one
 * wrote. False: out of memory. `words` there are at most. */
bool exec_unread_add(struct exec_unread *u, size_t words, const struct exec_watch_pair *pair);
/* Where the word's first pair stands; NULL: nowhere. What is at that place is valid until the next
 * addition. */
static inline uint32_t *exec_unread_of(const struct exec_unread *u, size_t word)
{
	return u->count && u->first[word] ? &u->first[word] : NULL;
}
/* Takes the pair out whose place that is; there stands the next one, then. */
void exec_unread_drop(struct exec_unread *u, uint32_t *place);
/* No pair waits any longer. */
void exec_unread_clear(struct exec_unread *u);
void exec_unread_fini(struct exec_unread *u);
