/* Touched: which bytes of the device's memory a launch reads, writes, and changes by atomics.
 *
 * A bit for each byte and use, in pages that are made when they are touched first, and of a page
 * only bits of uses that it has. One thread adds to a set at a time; sets of several threads are
 * joined. When no memory is left, or more was touched than a set holds, the set is lost: it says
 * nothing any more. Which of read and write came first is known where one thread did all writes.
 *
 * What is reported are exact pieces, up to a number. Of what has more, gaps between bytes of the
 * same uses in one allocation are filled until there are few pieces, with bytes that may have other
 * uses: pieces may overlap then.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simulator/executor/touched_bits.h"

/* What a kernel does to bytes. */
enum exec_use {
	EXEC_READ,
	EXEC_WRITE,
	EXEC_ATOMIC,
	EXEC_ATOMIC_READ, /* a load in one piece */
	EXEC_SWAP,	  /* an atomic by comparison */
	EXEC_READ_FIRST,  /* read before all writes; set by them, never added */
	EXEC_READ_MOVED,  /* read to be stored again only (code/moved.h); of a piece: read also */
	EXEC_EXCHANGED,	  /* by an atomic of which nobody wants what was there; of a piece: by
			   * an atomic also */
	EXEC_USES
};

/* When: of a kernel that waits for the grids that it depends on, after the wait. The thread had not
 * waited, but perhaps another one that had notified it; or none had that could have. */
enum exec_phase { EXEC_WAITED, EXEC_MAYBE_WAITED, EXEC_NOT_WAITED, EXEC_PHASES };

/* Bytes of a launch with the same uses: `rows` times `width` bytes, each `pitch` after the one
 * before. */
struct exec_piece {
	uint64_t address;
	uint64_t width;
	uint64_t pitch; /* of one row: 0 */
	uint64_t rows;
	uint8_t uses;  /* a bit for each enum exec_use */
	bool is_exact; /* false: there are bytes in it that were not used */
	uint8_t phase; /* enum exec_phase */
};
#define EXEC_PIECES_MOST ((size_t)1 << 18) /* of a launch */
#define EXEC_PIECES_FEW	 2048		   /* where gaps are filled */

#define EXEC_TOUCHED_WORDS EXEC_BITS_WORDS
#define EXEC_TOUCHED_PAGE  (EXEC_TOUCHED_WORDS * 64) /* bytes of memory */
#define EXEC_TOUCHED_PART  64			     /* words */

struct exec_touched_page {
	uint64_t number;	   /* address / EXEC_TOUCHED_PAGE */
	uint64_t *bits[EXEC_USES]; /* owned (touched_bits.h); or exec_touched_none */
	uint32_t parts;		   /* bits: which have a bit of any use */
};

/* The bits of uses that a page does not have: zeros, not to be written. */
extern uint64_t exec_touched_none[EXEC_TOUCHED_WORDS];

/* A place of a set's table, by the number's hash. */
struct exec_touched_place {
	uint64_t number;
	struct exec_touched_page *page; /* owned; NULL: the place is free */
};

/* An empty one is all zero. */
struct exec_touched {
	struct exec_touched_place *table; /* owned */
	size_t room;			  /* a power of two, or 0 */
	size_t count, uses;		  /* pages; bits that these have, by use */
	uint64_t *bases;		  /* owned: where allocations begin, ascending */
	size_t base_count, base_room;
	bool is_lost;
};

/* How many allocations of which bytes are touched begin at the address or below. */
size_t exec_touched_bases_until(const struct exec_touched *t, uint64_t address);
/* One of them begins there. */
void exec_touched_add_base(struct exec_touched *t, uint64_t base);

/* Where the page of that number is looked for first, in a table that is not empty. */
static inline size_t exec_touched_hash(const struct exec_touched *t, uint64_t number)
{
	return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (t->room - 1);
}

/* The page of that number, if it is at its first place; else NULL. */
static inline struct exec_touched_page *exec_touched_first_place(const struct exec_touched *t,
								 uint64_t number)
{
	const struct exec_touched_place *place;

	if (!t->room)
		return NULL;
	place = &t->table[exec_touched_hash(t, number)];
	return place->number == number ? place->page : NULL;
}

/* Such a use may write bytes that were only read before. */
static inline bool exec_touched_writes(enum exec_use use)
{
	return use == EXEC_WRITE || use == EXEC_EXCHANGED;
}

/* Bytes of a word that are written first, having been read. */
static inline uint64_t exec_touched_first(const struct exec_touched_page *page, size_t word,
					  uint64_t mask)
{
	uint64_t *const *bits = page->bits;

	return mask & ~(bits[EXEC_WRITE][word] | bits[EXEC_EXCHANGED][word]) &
	       (bits[EXEC_READ][word] | bits[EXEC_ATOMIC][word] | bits[EXEC_ATOMIC_READ][word] |
		bits[EXEC_SWAP][word]);
}

/* The slow part of exec_touched_add. */
void exec_touched_add_range(struct exec_touched *t, uint64_t address, size_t bytes,
			    enum exec_use use);

static inline void exec_touched_add(struct exec_touched *t, uint64_t address, size_t bytes,
				    enum exec_use use)
{
	uint64_t number = address / EXEC_TOUCHED_PAGE, mask;
	unsigned bit = address % 64, word = address / 64 % EXEC_TOUCHED_WORDS;
	struct exec_touched_page *page = exec_touched_first_place(t, number);

	mask = ((UINT64_C(1) << (bytes & 63)) - 1) << bit;
	if (page && bit + bytes <= 64 && bytes < 64 && page->bits[use] != exec_touched_none &&
	    !(exec_touched_writes(use) && exec_touched_first(page, word, mask))) {
		page->bits[use][word] |= mask;
		page->parts |= 1U << word / EXEC_TOUCHED_PART;
	} else {
		exec_touched_add_range(t, address, bytes, use);
	}
}

/* Adds so many elements, each `apart` bytes after the one before, which is not 0. */
void exec_touched_add_apart(struct exec_touched *t, uint64_t address, unsigned bytes,
			    uint64_t apart, unsigned count, enum exec_use use);

/* Adds all of `from` to the set; `from` is empty then. */
void exec_touched_join(struct exec_touched *t, struct exec_touched *from);
void exec_touched_fini(struct exec_touched *t);
void exec_touched_join_phases(struct exec_touched *sets, struct exec_touched *from);
void exec_touched_fini_phases(struct exec_touched *sets); /* EXEC_PHASES of them */

/* The set as pieces in the order of their addresses, owned by the caller: exact ones if there are
 * at most `most`, else up to EXEC_PIECES_FEW. Returns how many; a set that is lost, that has more
 * allocations and uses than pieces, or of which the pieces find no memory, has none and *is_lost is
 * set. */
size_t exec_touched_pieces(const struct exec_touched *t, size_t most, struct exec_piece **pieces,
			   bool *is_lost);
/* The same of a launch's EXEC_PHASES sets, one after the other. */
size_t exec_touched_phases(const struct exec_touched *sets, size_t most, struct exec_piece **pieces,
			   bool *is_lost);
