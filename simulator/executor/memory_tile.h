/* Tiles: matrices in memory, or parts of them, that all lanes of a warp access together. */
#pragma once

#include "simulator/executor/touched.h"
#include "simulator/executor/warp.h"

/* Rows of elements of so many bytes, each `pitch` bytes after the one before. */
struct exec_tile {
	unsigned bytes, rows, row_bytes;
	uint64_t pitch;
};

/* Where a tile lies that the lanes access together. NULL: not in one piece of memory that is here,
 * or it is watched; nothing has happened. */
char *exec_memory_tile(struct exec_warp *w, const struct exec_instruction *in, uint64_t first,
		       const struct exec_tile *t, enum exec_use use);
