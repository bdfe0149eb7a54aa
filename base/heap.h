/* Heap memory for the tool: never NULL, never an overflowed size; out of memory ends the tool.
 *
 * What it returns goes back with free().
 */
#pragma once

#include <stddef.h>

#define SC_CACHE_LINE 64

/* `count` zeroed items of `size` bytes. */
void *sc_heap_xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
/* Resizes to `count` items of `size` bytes; what is new is not zeroed. */
void *sc_heap_xrealloc(void *old, size_t count, size_t size) __attribute__((returns_nonnull));
/* Zeroed memory that begins a cache line, and ends one. */
void *sc_heap_xlines(size_t bytes) __attribute__((malloc, returns_nonnull));
/* Ends the tool, as the others do, if a function of ours that programs use too gave up with
 * -ENOMEM. */
void sc_heap_check(int err);
/* Copy of `bytes` bytes with a terminating zero after them. */
char *sc_heap_xcopy(const void *data, size_t bytes) __attribute__((malloc, returns_nonnull));
