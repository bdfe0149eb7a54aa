/* Vector: a typed growable array, plain items in one heap block.
 *
 *	SC_VECTOR(struct sc_map) maps = {0};
 *	*sc_vector_add(&maps) = map;
 *	for (size_t i = 0; i < maps.count; i++)
 *		use(&maps.items[i]);
 *	sc_vector_fini(&maps);
 *
 * An empty vector is all zero. Adding doubles the room when it is full (amortised constant) and
 * moves the items, so pointers into a vector end there. Out of memory ends the tool.
 */
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include "base/assert.h"

#define SC_VECTOR(type)       \
	struct {              \
		type *items;  \
		size_t count; \
		size_t room;  \
	}

/* Makes room for `extra` items more; returns the block, old or moved. */
void *sc_vector_grown(void *items, size_t count, size_t *room, size_t extra, size_t size);

/* Makes room for `extra` more items without changing the count. */
#define sc_vector_reserve(v, extra)                                                        \
	((void)((v)->room - (v)->count >= (size_t)(extra) ||                               \
		((v)->items = sc_vector_grown((v)->items, (v)->count, &(v)->room, (extra), \
					      sizeof(*(v)->items)))))
/* Adds one item, its content undefined; its address. */
#define sc_vector_add(v) (sc_vector_reserve((v), 1), &(v)->items[(v)->count++])
/* Adds one item. */
#define sc_vector_push(v, item) ((void)(*sc_vector_add(v) = (item)))
/* The last item's address; the vector must not be empty. */
#define sc_vector_last(v)  (sc_assert((v)->count > 0), &(v)->items[(v)->count - 1])
#define sc_vector_clear(v) ((void)((v)->count = 0))
#define sc_vector_fini(v) \
	((void)(free((v)->items), (v)->items = NULL, (v)->count = 0, (v)->room = 0))
