/* Pieces of memory that come and go: slabs of mapped memory, cut into lists. */
#include "interposer/core/slab.h"

#include <errno.h>
#include <string.h>
#include "base/assert.h"
#include "interposer/core/raw.h"
#include "interposer/core/put.h"
#include "interposer/core/module.h"

struct sc_slabs sc_slabs;

#define SLAB_BYTES ((size_t)1 << 16)
#define SLABS_MAX  4096

/* Cuts a new slab into pieces; nothing if there is none to be had. */
static void refill(struct sc_slabs *s, enum sc_slab_kind kind, size_t bytes)
{
	char *slab;

	if (s->slabs == SLABS_MAX)
		return;
	slab = sc_raw_map(SLAB_BYTES, MAP_PRIVATE);
	if (!slab)
		return;
	s->slabs++;
	bytes = (bytes + 15) & ~(size_t)15;
	for (size_t at = 0; at + bytes <= SLAB_BYTES; at += bytes) {
		struct sc_slab_piece *piece = (void *)(slab + at);

		piece->next = s->free[kind];
		s->free[kind] = piece;
	}
}

void *sc_slab_get(enum sc_slab_kind kind, size_t bytes)
{
	struct sc_slabs *s = &sc_slabs;
	struct sc_slab_piece *piece;
	int saved = errno;

	sc_assert(bytes >= sizeof(*piece) && bytes <= SLAB_BYTES);
	sc_lock_get(&s->lock);
	if (!s->free[kind])
		refill(s, kind, bytes);
	piece = s->free[kind];
	if (piece)
		s->free[kind] = piece->next;
	sc_lock_put(&s->lock);
	errno = saved;
	if (!piece)
		sc_put_loss(SC_GAP_spares);
	return piece ? memset(piece, 0, bytes) : NULL;
}

void sc_slab_put(enum sc_slab_kind kind, void *data)
{
	struct sc_slabs *s = &sc_slabs;
	struct sc_slab_piece *piece = data;

	sc_assert((uintptr_t)piece % 16 == 0); /* from sc_slab_get */
	sc_lock_get(&s->lock);
	piece->next = s->free[kind];
	s->free[kind] = piece;
	sc_lock_put(&s->lock);
}

bool sc_slab_is_used(void)
{
	return sc_slabs.slabs || atomic_load(&sc_slabs.lock.held);
}

/* Frames and runtimes keep pointers to what was given out: a child forgets nothing. But the thread
 * that may have held the lock does not exist there. */
static void forget(void)
{
	atomic_store(&sc_slabs.lock.held, 0);
}

const struct sc_module sc_module_slab = {.forget = forget};
