/* The recorder's memory: one reserved mapping that only grows, so that no hook touches the heap.
 *
 * Memory comes zeroed, 16-byte aligned, and is never given back; what must be recycled keeps its
 * own free list. Safe from any thread and from signal handlers. Costs one fetch_add.
 */
#ifndef SC_INTERPOSER_ARENA_H
#define SC_INTERPOSER_ARENA_H

#include <stdatomic.h>
#include <stddef.h>

struct sc_arena {
	char *_Atomic base;
	atomic_size_t used;
	atomic_size_t size;
};

/* `bytes` zeroed bytes, or NULL when the reservation is used up. */
void *sc_arena_get(size_t bytes);

#endif
