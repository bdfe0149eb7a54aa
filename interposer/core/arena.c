/* The recorder's own memory: a bump allocator over one lazily reserved mapping. */
#include "interposer/core/arena.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include "base/assert.h"
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/raw.h"
#include "interposer/core/refused.h"
#include "interposer/arch/valgrind.h"
#include "interposer/core/thread.h"

#define RESERVE_BYTES ((size_t)1 << 32)
#define LEAST_BYTES   ((size_t)1 << 24)

static struct {
	char *_Atomic base;
	atomic_size_t used;
	atomic_size_t size;
	struct sc_lock lock;
	void *ended[SC_ARENA_KINDS]; /* of threads that ended; the first word is the next one */
} arena;

/* Address space is cheap, but a limit (RLIMIT_AS) or strict overcommit may refuse so much. */
static char *reserve(size_t *bytes)
{
	for (*bytes = sc_valgrind_runs() ? SC_VALGRIND_MOST : RESERVE_BYTES; *bytes >= LEAST_BYTES;
	     *bytes /= 4) {
		void *p = sc_raw_map(*bytes, MAP_PRIVATE | MAP_NORESERVE);

		if (p)
			return p;
	}
	return NULL;
}

static char *arena_base(void)
{
	/* acquire: pairs with the release below, which publishes `size` */
	char *base = atomic_load_explicit(&arena.base, memory_order_acquire);
	char *mine, *none = NULL;
	size_t bytes;

	if (base)
		return base;
	mine = reserve(&bytes);
	if (!mine)
		return NULL;
	atomic_store_explicit(&arena.size, bytes, memory_order_relaxed);
	if (atomic_compare_exchange_strong_explicit(&arena.base, &none, mine, memory_order_release,
						    memory_order_acquire))
		return mine;
	sc_raw_unmap(mine, bytes); /* another thread was first */
	return none;
}

void *sc_arena_map(uint64_t bytes, int flags)
{
	void *memory = sc_raw_map(bytes, flags);

	return memory ? memory : sc_refused();
}

void *sc_arena_get(size_t bytes)
{
	char *base = arena_base();
	size_t size, offset;

	size = atomic_load_explicit(&arena.size, memory_order_relaxed);
	if (!base || bytes > size)
		return sc_refused();
	bytes = (bytes + 15) & ~(size_t)15;
	offset = atomic_load_explicit(&arena.used, memory_order_relaxed);
	do {
		if (bytes > size - offset) /* a smaller piece may still be there */
			return sc_refused();
	} while (!atomic_compare_exchange_weak_explicit(
		&arena.used, &offset, offset + bytes, memory_order_relaxed, memory_order_relaxed));
	return base + offset;
}

size_t sc_arena_used(void)
{
	return atomic_load_explicit(&arena.used, memory_order_relaxed);
}

static void *take_ended(enum sc_arena_kind kind)
{
	void *piece;

	sc_lock_get(&arena.lock);
	piece = arena.ended[kind];
	if (piece)
		arena.ended[kind] = *(void **)piece;
	sc_lock_put(&arena.lock);
	return piece;
}

void *sc_arena_take(enum sc_arena_kind kind, size_t bytes)
{
	void *piece = take_ended(kind);
	char *fresh;

	if (piece)
		return memset(piece, 0, bytes);
	fresh = sc_arena_get(bytes + SC_LINE);
	return fresh ? (void *)(((uintptr_t)fresh + SC_LINE - 1) & -(uintptr_t)SC_LINE) : NULL;
}

void sc_arena_give(enum sc_arena_kind kind, void *piece)
{
	if (!piece)
		return;
	sc_assert((uintptr_t)piece % SC_LINE == 0); /* from sc_arena_take */
	sc_lock_get(&arena.lock);
	*(void **)piece = arena.ended[kind];
	arena.ended[kind] = piece;
	sc_lock_put(&arena.lock);
}

/* ---- the module ---- */

static void forget(void)
{
	if (arena.base)
		sc_raw_unmap(arena.base, arena.size);
}

const struct sc_module sc_module_arena = {.forget = forget, SC_MODULE_STATE(arena)};
