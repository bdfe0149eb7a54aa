/* Vector: a typed growable array, plain items in one heap block. */
#include "base/vector.h"

#include <stdint.h>
#include "base/heap.h"

#define FIRST_ROOM 8

void *sc_vector_grown(void *items, size_t count, size_t *room, size_t extra, size_t size)
{
	size_t need, want = *room > SIZE_MAX / 2 ? SIZE_MAX : *room * 2;

	if (__builtin_add_overflow(count, extra, &need))
		need = SIZE_MAX;
	if (want < FIRST_ROOM)
		want = FIRST_ROOM;
	*room = want < need ? need : want;
	return sc_heap_xrealloc(items, *room, size);
}
