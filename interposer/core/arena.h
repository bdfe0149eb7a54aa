/* The recorder's memory: one reserved mapping that only grows, so that no hook touches the heap.
 *
 * Memory comes zeroed, 16-byte aligned, and is never given back; what must be recycled keeps its
 * own free list, and what threads own is taken by the next ones. Safe from any thread and from
 * signal handlers. Costs one fetch_add.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Pieces of a thread, always of the same size for a kind. */
enum sc_arena_kind {
	SC_ARENA_SCRATCH,
	SC_ARENA_RECENT,
	SC_ARENA_SITES,
	SC_ARENA_PYTHON,
	SC_ARENA_ENQUEUES,
	SC_ARENA_SYNC,
	SC_ARENA_MPI,
	SC_ARENA_DECLARED,
	SC_ARENA_THREAD,
	SC_ARENA_TURN,
	SC_ARENA_KINDS
};

/* What is refused is counted (refused.h). `bytes` zeroed bytes, or NULL when the
 * reservation is used up. */
void *sc_arena_get(size_t bytes);
/* A mapping of its own, which sc_raw_unmap gives back, or NULL; flags: MAP_PRIVATE, MAP_SHARED, and
 * more. */
void *sc_arena_map(uint64_t bytes, int flags);
/* How many bytes were given out. */
size_t sc_arena_used(void);
/* As sc_arena_get, for a piece of the calling thread, which begins a cache line. */
void *sc_arena_take(enum sc_arena_kind kind, size_t bytes);
/* The thread needs its piece no more: the next one takes it. NULL is let pass. */
void sc_arena_give(enum sc_arena_kind kind, void *piece);
/* Gives the piece to which `member` of the thread's state points, which is NULL before: a signal's
 * handler may look at it. */
#define SC_ARENA_GIVE(kind, member)                     \
	do {                                            \
		void *piece_ = member;                  \
                                                        \
		member = NULL;                          \
		sc_arena_give(SC_ARENA_##kind, piece_); \
	} while (0)
