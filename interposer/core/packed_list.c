/* Lists in pieces of the arena, which are used again. */
#include "interposer/core/packed_list.h"

#include <string.h>
#include "base/assert.h"
#include "interposer/core/arena.h"
#include "interposer/core/lock.h"
#include "interposer/core/module.h"

#define LEAST_PIECE ((size_t)32)
#define KINDS	    11 /* of pieces: 32 bytes, 64, … 32 KiB */

/* Pieces that no list is in. */
static struct {
	struct sc_lock lock; /* a leaf */
	void *free[KINDS];   /* the first word is the next one */
} pieces;

/* KINDS: it is too large. */
static unsigned kind_of(size_t bytes)
{
	unsigned kind = 0;

	while (kind < KINDS && LEAST_PIECE << kind < bytes)
		kind++;
	return kind;
}

static void *take_piece(unsigned kind)
{
	void *piece;

	sc_lock_get(&pieces.lock);
	piece = pieces.free[kind];
	if (piece)
		pieces.free[kind] = *(void **)piece;
	sc_lock_put(&pieces.lock);
	return piece ? piece : sc_arena_get(LEAST_PIECE << kind);
}

static void give_piece(void *piece, size_t room)
{
	unsigned kind = kind_of(room);

	sc_assert(room == LEAST_PIECE << kind);
	sc_lock_get(&pieces.lock);
	*(void **)piece = pieces.free[kind];
	pieces.free[kind] = piece;
	sc_lock_put(&pieces.lock);
}

void sc_packed_list_pack(struct sc_mapped_list *p)
{
	size_t used = p->used;
	unsigned kind = kind_of(used);
	void *piece;

	if (!used) {
		sc_mapped_list_fini(p);
		return;
	}
	piece = !p->give && kind < KINDS ? take_piece(kind) : NULL;
	if (!piece)
		return;
	memcpy(piece, p->start, used);
	sc_mapped_list_fini(p);
	*p = (struct sc_mapped_list){piece, LEAST_PIECE << kind, used, give_piece};
}

/* ---- the module ---- */

const struct sc_module sc_module_packed_list = {SC_MODULE_STATE(pieces)};
