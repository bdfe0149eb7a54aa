/* Pieces: parts of allocations that a pool of the program hands out (P-15).
 *
 * The bytes of a piece stay those of its allocation, whose history goes on when the piece ends:
 * only what a pointer may lead to, and what a report names, is the piece. Live pieces are disjoint;
 * one that overlaps others ends them. Addresses are those that the allocation's history knows. Of
 * pieces that were given back, those whose addresses are not in use again are all kept, of the
 * others the last SC_PIECES_FORMER.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/memory/range.h"
#include "base/vector.h"

#define SC_PIECES_FORMER 4096

struct sc_piece {
	struct sc_range range; /* first */
	uint64_t begun;	       /* + 1 of the op that handed it out */
	uint64_t ended;	       /* + 1 of the op that gave it back; 0: it is live */
	uint32_t stream;       /* that it was handed out for, or 0 */
	bool is_captured;      /* handed out during a capture: its pool may keep it for the graph */
	SC_VECTOR(uint32_t) users; /* streams whose work the pool waits for */
};

/* No pieces are all zero. */
struct sc_pieces {
	struct sc_ranges live, dead; /* struct sc_piece, owned */
	struct sc_piece *former;     /* owned: a ring of those whose addresses are in use again */
	uint64_t former_count;	     /* ever */
	uint64_t changes;	     /* how often one ended */
};

void sc_pieces_fini(struct sc_pieces *all);
/* A piece begins; NULL if the range makes no sense. */
struct sc_piece *sc_pieces_add(struct sc_pieces *all, uint64_t start, uint64_t bytes,
			       uint64_t sequence);
/* The live piece that an address is in, or NULL. */
struct sc_piece *sc_pieces_at(const struct sc_pieces *all, uint64_t address);
/* The piece that was given back last at an address that no later piece has, or NULL. */
const struct sc_piece *sc_pieces_dead_at(const struct sc_pieces *all, uint64_t address);
/* The piece that held the address when op `at` was recorded, if it was given back since; NULL if
 * none is known. Looks at all that are kept. */
const struct sc_piece *sc_pieces_former(const struct sc_pieces *all, uint64_t address, uint64_t at);
/* A live piece is given back. */
void sc_pieces_end(struct sc_pieces *all, struct sc_piece *p, uint64_t sequence);
/* The memory itself ends, or begins: its pieces are forgotten. */
void sc_pieces_forget(struct sc_pieces *all, uint64_t start, uint64_t end);
