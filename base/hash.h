/* Tables by uthash, for keys that base/map.h does not have: no memory for one ends the tool, with a
 * message (the library's own way is to end without one).
 */
#pragma once

#include "base/heap.h"

#define uthash_malloc(bytes) sc_heap_xcalloc(1, bytes)
#include <uthash.h>
