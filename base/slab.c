/* Slab: chunks of items. */
#include "base/slab.h"

#include <stdint.h>
#include <stdlib.h>
#include "base/assert.h"
#include "base/heap.h"

#define CHUNK_ITEMS 64

static size_t padded(size_t bytes)
{
	return (bytes + SC_CACHE_LINE - 1) & ~(size_t)(SC_CACHE_LINE - 1);
}

/* A line at the front of a chunk holds the link; calloc aligns to less than a line. */
static void add_chunk(struct sc_slab *s, size_t size)
{
	char *chunk = sc_heap_xcalloc(1, CHUNK_ITEMS * padded(size) + 2 * SC_CACHE_LINE);

	*(void **)chunk = s->chunks;
	s->chunks = chunk;
	s->next = chunk + sizeof(void *);
	s->next += -(uintptr_t)s->next & (SC_CACHE_LINE - 1);
	s->left = CHUNK_ITEMS;
}

void *sc_slab_new(struct sc_slab *s, size_t size)
{
	char *item;

	if (!s->left)
		add_chunk(s, size);
	item = s->next;
	s->next += padded(size);
	s->left--;
	sc_assert((uintptr_t)item % SC_CACHE_LINE == 0);
	return item;
}

void sc_slab_fini(struct sc_slab *s)
{
	while (s->chunks) {
		void *chunk = s->chunks;

		s->chunks = *(void **)chunk;
		free(chunk);
	}
	*s = (struct sc_slab){0};
}
