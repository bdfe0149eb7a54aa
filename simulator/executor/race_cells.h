/* Cells: the last accesses to each word of global memory, in pages that are made when needed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXEC_RACE_WORD	     4	 /* bytes of a cell */
#define EXEC_RACE_PAGE	     256 /* cells */
#define EXEC_RACE_READS	     2
#define EXEC_RACE_PAGE_BYTES (EXEC_RACE_WORD * EXEC_RACE_PAGE)

enum exec_race_kind {
	EXEC_RACE_PLAIN,
	EXEC_RACE_SILENT, /* a plain write that changed nothing */
	EXEC_RACE_VOLATILE,
	EXEC_RACE_SWAP,	  /* an atomic by comparison */
	EXEC_RACE_ATOMIC, /* another one, or ordered */
	EXEC_RACE_NARROW  /* the same, of a block's scope */
};

/* The last access of a kind to a word. */
struct exec_race_use {
	uint32_t time;	/* of its warp; 0: there was none */
	uint32_t place; /* of the instruction */
	uint8_t warp;	/* of all that are watched */
	uint8_t lane;
	uint8_t bytes;	  /* bits: of the word */
	uint8_t open : 4; /* scopes for which its lock was taken without a fence (bits) */
	uint8_t kind : 4; /* enum exec_race_kind */
};

struct exec_race_cell {
	struct exec_race_use write;
	struct exec_race_use reads[EXEC_RACE_READS];
	uint32_t before, after; /* what the last write found in its bytes, and left */
	uint32_t settled;	/* number of the last write (race_state.h) */
};

struct exec_race_page {
	uint64_t number;
	struct exec_race_cell cells[EXEC_RACE_PAGE];
};

/* Empty: all zero. One thread at a time. */
struct exec_race_cells {
	struct exec_race_page **table; /* owned; by the number's hash */
	size_t room, count;
	struct exec_race_page *last;
};

/* Finds the page of that number for `last`, a new one if there is none. */
void exec_race_cells_turn(struct exec_race_cells *cells, uint64_t number);

/* The cell of an address; NULL: no memory, or too many pages. It stays until the end. */
static inline struct exec_race_cell *exec_race_cells_at(struct exec_race_cells *cells,
							uint64_t address)
{
	uint64_t number = address / EXEC_RACE_PAGE_BYTES;

	if (!cells->last || cells->last->number != number)
		exec_race_cells_turn(cells, number);
	return cells->last ? &cells->last->cells[address / EXEC_RACE_WORD % EXEC_RACE_PAGE] : NULL;
}

void exec_race_cells_fini(struct exec_race_cells *cells);
