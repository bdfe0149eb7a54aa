/* Arena: memory that is taken piece by piece and given back all at once. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/assert.h"
#include "base/message.h"

#define ALIGNMENT   ((size_t)16)
#define FIRST_CHUNK ((size_t)4096)
#define LAST_CHUNK  ((size_t)1 << 20)

struct sc_arena_chunk {
	struct sc_arena_chunk *next;
	size_t size; /* of data */
	_Alignas(16) uint8_t data[];
};

static size_t chunk_size(const struct sc_arena *a, size_t bytes)
{
	size_t size = a->chunks ? a->chunks->size * 2 : FIRST_CHUNK;

	if (size > LAST_CHUNK)
		size = LAST_CHUNK;
	return bytes > size ? bytes : size;
}

static int add_chunk(struct sc_arena *a, size_t bytes)
{
	size_t size = chunk_size(a, bytes);
	struct sc_arena_chunk *chunk;

	if (size > SIZE_MAX - sizeof(*chunk))
		return -1;
	chunk = calloc(1, sizeof(*chunk) + size);
	if (!chunk)
		return -1;
	chunk->next = a->chunks;
	chunk->size = size;
	a->chunks = chunk;
	a->left = size;
	a->total += sizeof(*chunk) + size;
	return 0;
}

void sc_arena_init(struct sc_arena *a)
{
	*a = (struct sc_arena){0};
}

void sc_arena_fini(struct sc_arena *a)
{
	while (a->chunks) {
		struct sc_arena_chunk *next = a->chunks->next;

		free(a->chunks);
		a->chunks = next;
	}
	sc_arena_init(a);
}

void *sc_arena_alloc(struct sc_arena *a, size_t count, size_t size)
{
	size_t bytes;
	void *piece;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - ALIGNMENT)
		return NULL;
	bytes = (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	if (!bytes)
		bytes = ALIGNMENT;
	if (bytes > a->left && add_chunk(a, bytes))
		return NULL;
	sc_assert(bytes <= a->left && a->left <= a->chunks->size);
	piece = a->chunks->data + (a->chunks->size - a->left);
	a->left -= bytes;
	return piece;
}

void *sc_arena_xalloc(struct sc_arena *a, size_t count, size_t size)
{
	void *piece = sc_arena_alloc(a, count, size);

	if (!piece)
		sc_die("out of memory (%zu times %zu bytes); give the process more memory, or "
		       "check a shorter run",
		       count, size);
	return piece;
}

void *sc_arena_xcopy(struct sc_arena *a, const void *data, size_t bytes)
{
	void *copy = sc_arena_xalloc(a, bytes, 1);

	return bytes ? memcpy(copy, data, bytes) : copy;
}

char *sc_arena_xtext(struct sc_arena *a, const char *text, size_t bytes)
{
	char *copy = sc_arena_xalloc(a, bytes == SIZE_MAX ? bytes : bytes + 1, 1);

	if (bytes)
		memcpy(copy, text, bytes);
	return copy;
}
