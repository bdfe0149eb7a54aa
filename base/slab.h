/* Slab: items of one size, each at the beginning of a cache line, used again when given back.
 *
 * The memory of an item that was given back stays an item of the slab until all are freed at once,
 * so a stale pointer to one may be looked at (its first word is the slab's meanwhile). An empty
 * slab is all zero. Out of memory ends the tool.
 */
#pragma once

#include <stddef.h>
#include "base/assert.h"
#include "base/heap.h"

struct sc_slab {
	void *given;  /* items that were given back, linked by their first words */
	void *chunks; /* owned, linked by their first words */
	char *next;   /* in the newest chunk */
	size_t left;  /* items from `next` on */
};

/* An item that was never used, all zero; the slow part of sc_slab_take. */
void *sc_slab_new(struct sc_slab *s, size_t size) __attribute__((returns_nonnull));
void sc_slab_fini(struct sc_slab *s);

/* An item of `size` bytes, the same for each call; its content is undefined. */
static inline void *sc_slab_take(struct sc_slab *s, size_t size)
{
	void *item = s->given;

	if (!item)
		return sc_slab_new(s, size);
	s->given = *(void **)item;
	return item;
}

static inline void sc_slab_give(struct sc_slab *s, void *item)
{
	sc_assert(item && item != s->given);
	*(void **)item = s->given;
	s->given = item;
}
