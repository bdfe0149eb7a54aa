/* Arena: memory that is taken piece by piece and given back all at once.
 *
 * Chunks double in size up to 1 MiB; a piece larger than a chunk gets its own. Pieces are zeroed,
 * aligned to 16 bytes and never move. Costs one pointer bump per piece. Not thread-safe.
 */
#pragma once

#include <stddef.h>

struct sc_arena {
	struct sc_arena_chunk *chunks; /* owned, newest first */
	size_t left;		       /* bytes left in the newest chunk */
	size_t total;		       /* bytes taken from the heap */
};

/* An empty arena is all zero; init is for memory that is not. */
void sc_arena_init(struct sc_arena *a);
void sc_arena_fini(struct sc_arena *a);

/* Zeroed memory, or NULL if there is none or the size overflows. */
void *sc_arena_alloc(struct sc_arena *a, size_t count, size_t size);
/* The same; out of memory ends the tool. */
void *sc_arena_xalloc(struct sc_arena *a, size_t count, size_t size)
	__attribute__((returns_nonnull));
/* Copies of data and of text (with a terminating zero); out of memory ends the tool. */
void *sc_arena_xcopy(struct sc_arena *a, const void *data, size_t bytes);
char *sc_arena_xtext(struct sc_arena *a, const char *text, size_t bytes);

#define SC_ARENA_XNEW(arena, type) ((type *)sc_arena_xalloc((arena), 1, sizeof(type)))
