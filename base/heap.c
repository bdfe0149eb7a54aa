/* Heap memory for the tool: never NULL, never an overflowed size. */
#include "base/heap.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/message.h"

static _Noreturn void die_of_memory(size_t count, size_t size)
{
	sc_die("out of memory (%zu times %zu bytes); give the process more memory, or check a "
	       "shorter run",
	       count, size);
}

void *sc_heap_xcalloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		die_of_memory(count, size);
	return memory;
}

void *sc_heap_xrealloc(void *old, size_t count, size_t size)
{
	void *memory = reallocarray(old, count ? count : 1, size ? size : 1);

	if (!memory)
		die_of_memory(count, size);
	return memory;
}

void *sc_heap_xlines(size_t bytes)
{
	size_t lines = (bytes + SC_CACHE_LINE - 1) / SC_CACHE_LINE * SC_CACHE_LINE;
	void *memory = aligned_alloc(SC_CACHE_LINE, lines);

	if (memory)
		return memset(memory, 0, lines);
	die_of_memory(bytes, 1);
}

char *sc_heap_xcopy(const void *data, size_t bytes)
{
	char *copy;

	if (bytes == SIZE_MAX)
		die_of_memory(bytes, 1);
	copy = sc_heap_xcalloc(bytes + 1, 1);
	if (bytes)
		memcpy(copy, data, bytes);
	return copy;
}

void sc_heap_check(int err)
{
	if (err == -ENOMEM)
		sc_die("out of memory; give the process more memory, or check a shorter run");
}
