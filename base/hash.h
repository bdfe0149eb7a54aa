/* Tables by uthash, for keys that base/map.h does not have: no memory for one ends the tool, with a
 * message (the library's own way is to end without one).
 */
#pragma once

#include "base/heap.h"

#define uthash_malloc(bytes) sc_heap_xcalloc(1, bytes)
#include <uthash.h>

/* `x` becomes the item of the table whose `member` is `value`, a variable without gaps; where there
 * is none, a new one (from the heap) that has no more than its key. */
#define sc_hash_get(table, member, value, x)                                                 \
	do {                                                                                 \
		unsigned hash_of_value;                                                      \
		HASH_VALUE(&(value), sizeof(value), hash_of_value);                          \
		HASH_FIND_BYHASHVALUE(hh, table, &(value), sizeof(value), hash_of_value, x); \
		if (!(x)) {                                                                  \
			(x) = sc_heap_xcalloc(1, sizeof(*(x)));                              \
			(x)->member = (value);                                               \
			HASH_ADD_BYHASHVALUE(hh, table, member, sizeof((x)->member),         \
					     hash_of_value, x);                              \
		}                                                                            \
	} while (0)
