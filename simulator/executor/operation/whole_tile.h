/* Where a matrix lies that a warp moves, and its pieces where each access is looked at. */
#pragma once

#include "simulator/executor/memory.h"
#include "simulator/executor/memory_tile.h"
#include "simulator/executor/operation/whole.h"

#define WHOLE_PIECE 16 /* bytes that a lane accesses */

/* Where the matrix lies. False: not all lanes move it, from one address. */
static inline bool whole_tile(struct exec_warp *w, const struct exec_instruction *in,
			      const struct fragment *f, uint32_t mask, struct exec_tile *t,
			      uint64_t *first)
{
	const uint32_t *strides = exec_lanes(w, in->slot[f->stride]);
	uint64_t address[EXEC_LANES], differs = 0;
	uint32_t step = f->by_columns ? f->rows : f->columns;

	if (mask != EXEC_ALL)
		return 0;
	if (in->width[f->stride])
		step = strides[0] / f->packed;
	t->bytes = bits_of(f->element) / 8;
	t->rows = f->by_columns ? f->columns : f->rows;
	t->row_bytes = (f->by_columns ? f->rows : f->columns) * t->bytes;
	t->pitch = (uint64_t)step * t->bytes;
	exec_places_addresses(w, in, mask, address);
	EXEC_EACH_LANE
	differs |= address[i] ^ address[0];
	*first = address[0];
	return !differs;
}

static inline bool whole_has_pieces(const struct exec_tile *t, uint64_t first)
{
	return !((first | t->pitch | t->row_bytes) & (WHOLE_PIECE - 1));
}

/* Copies the matrix from or to `rows`, which lie one after the other, a piece by each lane: which
 * lane accesses what nobody says of a device. False: the launch has failed. */
static inline bool whole_pieces(struct exec_warp *w, const struct exec_instruction *in,
				const struct exec_tile *t, uint64_t first, enum exec_use use,
				char *rows)
{
	unsigned each = t->row_bytes / WHOLE_PIECE, count = t->rows * each;
	struct exec_places p;

	for (unsigned at = 0; at < count; at += EXEC_LANES) {
		unsigned lanes = count - at < EXEC_LANES ? count - at : EXEC_LANES;

		for (unsigned i = 0; i < EXEC_LANES; i++) {
			unsigned k = at + i % lanes;

			p.address[i] = first + k / each * t->pitch + k % each * WHOLE_PIECE;
		}
		if (!exec_places_find_at(w, in, EXEC_ALL >> (EXEC_LANES - lanes) % EXEC_LANES,
					 WHOLE_PIECE, use, &p))
			return 0;
		for (unsigned i = 0; i < lanes; i++) {
			char *piece = rows + (at + i) * WHOLE_PIECE;

			memcpy(use == EXEC_READ ? piece : p.lane[i],
			       use == EXEC_READ ? p.lane[i] : piece, WHOLE_PIECE);
		}
		if (use == EXEC_WRITE && p.borrowed)
			exec_places_end(w, in, WHOLE_PIECE, &p);
	}
	return 1;
}
