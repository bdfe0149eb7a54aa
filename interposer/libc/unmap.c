/* libc functions that end memory, or move, lock or protect it. */
#include "interposer/libc/unmap.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include "interposer/guard/given.h"
#include "interposer/guard/host.h"
#include "interposer/core/maps.h"
#include "interposer/core/raw.h"
#include "interposer/core/put.h"
#include "interposer/object/memory.h"
#include "interposer/guard/watchpoint.h"
#include "interposer/core/thread.h"
#include "interposer/core/real.h"
#include "interposer/driver/cuda.h"

#define EXPORT __attribute__((visibility("default")))
#define FAILED 1 /* a result: the memory did not end */

/* ---- the heap ---- */

/* Cheap while nothing is in flight, and no graph was given such memory: a few loads. */
static size_t size_if_near(void *pointer)
{
	const struct sc_guard *g = &sc_guard;
	bool is_near = atomic_load_explicit(&g->live, memory_order_relaxed) &&
		       (uint64_t)pointer < atomic_load_explicit(&g->high, memory_order_relaxed);

	if (!pointer || !(is_near || atomic_load_explicit(&g->given, memory_order_relaxed)))
		return 0;
	return sc_real.usable_size ? sc_real.usable_size(pointer) : 1;
}

/* Returns the op that records the end of the memory, or SC_NOT_WRITTEN if none is needed. */
static uint64_t end(uint64_t start, uint64_t bytes)
{
	bool is_given = sc_given_ends(start, bytes);

	if (!sc_host_ends(start, bytes) && !is_given)
		return SC_NOT_WRITTEN;
	return sc_host_put(SC_OP_HOST_FREE, start, bytes, SC_FLAG_LIBC);
}

static __attribute__((noinline)) void free_slowly(void *pointer)
{
	size_t bytes = size_if_near(pointer);
	typeof(&free) real = SC_REAL(free);

	if (bytes)
		end((uint64_t)pointer, bytes);
	if (real)
		real(pointer);
}

/* C++ frees hundreds of blocks between two CUDA calls: nothing but jumps while nothing is in
 * flight. */
EXPORT void free(void *pointer)
{
	typeof(&free) real =
		atomic_load_explicit(&sc_real.libc[SC_REAL_free], memory_order_relaxed);

	if (__builtin_expect(real && !(atomic_load_explicit(&sc_guard.live, memory_order_relaxed) |
				       atomic_load_explicit(&sc_guard.given, memory_order_relaxed)),
			     1))
		real(pointer);
	else
		free_slowly(pointer);
}

/* What stays where it is has not ended, for the nodes that were given it. */
static void moved(const void *from, size_t bytes, bool is_in_flight, const void *to, size_t wanted)
{
	bool has_ended = bytes && to != from && (to || !wanted);

	if (has_ended && (sc_given_ends((uint64_t)from, bytes) || is_in_flight))
		sc_host_put(SC_OP_HOST_FREE, (uint64_t)from, bytes, SC_FLAG_LIBC);
}

EXPORT void *realloc(void *pointer, size_t bytes)
{
	size_t before = size_if_near(pointer);
	bool is_in_flight = before && sc_host_ends((uint64_t)pointer, before);
	void *to = SC_REAL(realloc)(pointer, bytes);

	moved(pointer, before, is_in_flight, to, bytes);
	return to;
}

EXPORT void *reallocarray(void *pointer, size_t count, size_t bytes)
{
	size_t before = size_if_near(pointer);
	bool is_in_flight = before && sc_host_ends((uint64_t)pointer, before);
	void *to = SC_REAL(reallocarray)(pointer, count, bytes);

	moved(pointer, before, is_in_flight, to, count && bytes);
	return to;
}

/* ---- mappings ---- */

/* The op is written before the call, since the address may be another mapping's right after the
 * call. */
static void settle(uint64_t op, bool has_failed)
{
	if (has_failed)
		sc_put_result(op, FAILED);
}

static int unmap(typeof(&munmap) real, void *start, size_t bytes)
{
	uint64_t op = end((uint64_t)start, bytes);
	int result = real(start, bytes);

	settle(op, result != 0);
	return result;
}

typedef void *move_fn(void *start, size_t before, size_t after, int flags, ...);

/* A mapping of several protections cannot be moved, so it is opened first. */
static void *move(move_fn *real, const uint64_t *a)
{
	void *start = (void *)a[0], *fixed = NULL, *to;
	size_t before = a[1], after = a[2];
	int flags = (int)a[3];
	uint64_t lost = after < before ? after : 0;
	bool is_in_flight = sc_host_ends((uint64_t)start + lost, before - lost);
	uint64_t op = SC_NOT_WRITTEN;

	if (flags & MREMAP_FIXED)
		fixed = (void *)a[4];
	sc_host_open((uint64_t)start, before);
	if (fixed)
		op = end((uint64_t)fixed, after);
	to = real(start, before, after, flags, fixed);
	settle(op, to == MAP_FAILED);
	if (to != MAP_FAILED && (to != start || lost) &&
	    (sc_given_ends((uint64_t)start + lost, before - lost) || is_in_flight))
		sc_host_put(SC_OP_HOST_FREE, (uint64_t)start + lost, before - lost, SC_FLAG_LIBC);
	return to;
}

static void *map(typeof(&mmap) real, const uint64_t *a)
{
	uint64_t op = (int)a[3] & MAP_FIXED ? end(a[0], a[1]) : SC_NOT_WRITTEN;
	void *to = real((void *)a[0], a[1], (int)a[2], (int)a[3], (int)a[4], (off_t)a[5]);

	settle(op, to == MAP_FAILED);
	return to;
}

#define AS_CALL(...)        \
	(const uint64_t[6]) \
	{                   \
		__VA_ARGS__ \
	}

EXPORT int munmap(void *start, size_t bytes)
{
	return unmap(SC_REAL(munmap), start, bytes);
}

EXPORT void *mremap(void *start, size_t before, size_t after, int flags, ...)
{
	uint64_t fixed = 0;
	va_list rest;

	va_start(rest, flags);
	if (flags & MREMAP_FIXED)
		fixed = va_arg(rest, uint64_t);
	va_end(rest);
	return move(SC_REAL(mremap),
		    AS_CALL((uint64_t)start, before, after, (uint64_t)flags, fixed));
}

EXPORT void *mmap(void *start, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	return map(SC_REAL(mmap), AS_CALL((uint64_t)start, bytes, (uint64_t)protection,
					  (uint64_t)flags, (uint64_t)fd, (uint64_t)offset));
}

EXPORT void *mmap64(void *start, size_t bytes, int protection, int flags, int fd, off64_t offset)
{
	return map(SC_REAL(mmap64), AS_CALL((uint64_t)start, bytes, (uint64_t)protection,
					    (uint64_t)flags, (uint64_t)fd, (uint64_t)offset));
}

/* ---- the same without libc ---- */

static int unmap_directly(void *start, size_t bytes)
{
	return (int)sc_raw_result(sc_raw(SYS_munmap, (uint64_t)start, bytes, 0, 0, 0, 0));
}

static void *map_directly(void *start, size_t bytes, int protection, int flags, int fd, off_t at)
{
	return (void *)sc_raw_result(sc_raw(SYS_mmap, (uint64_t)start, bytes, (uint64_t)protection,
					    (uint64_t)flags, (uint64_t)fd, (uint64_t)at));
}

static void *move_directly(void *start, size_t before, size_t after, int flags, ...)
{
	uint64_t fixed;
	va_list rest;

	va_start(rest, flags);
	fixed = va_arg(rest, uint64_t);
	va_end(rest);
	return (void *)sc_raw_result(
		sc_raw(SYS_mremap, (uint64_t)start, before, after, (uint64_t)flags, fixed, 0));
}

bool sc_unmap_call(long number, const uint64_t *a, long *result)
{
	switch (number) {
	case SYS_munmap: *result = unmap(unmap_directly, (void *)a[0], a[1]); return true;
	case SYS_mremap: *result = (long)move(move_directly, a); return true;
	case SYS_mmap: *result = (long)map(map_directly, a); return true;
	}
	return false;
}

EXPORT int shmdt(const void *start)
{
	uint64_t op = SC_NOT_WRITTEN;
	int result;

	if ((atomic_load_explicit(&sc_guard.live, memory_order_relaxed) |
	     atomic_load_explicit(&sc_guard.given, memory_order_relaxed)) &&
	    !sc_self.busy)
		op = end((uint64_t)start, sc_maps_segment((uint64_t)start));
	result = SC_REAL(shmdt)(start);
	settle(op, result != 0);
	return result;
}

/* ---- protection ---- */

/* The application's own protection counts; memory that is not simply readable and writable is left
 * alone from now on. */
static void protecting(uint64_t start, size_t bytes, int protection)
{
	struct sc_known_allocation a;

	sc_host_open(start, bytes);
	if (protection == (PROT_READ | PROT_WRITE) || sc_self.busy ||
	    !sc_memory_has_host(&sc_memory))
		return;
	for (uint64_t at = start; at < start + bytes; at = a.start + a.bytes) {
		if (!sc_memory_next(&sc_memory, at, &a) || a.start >= start + bytes)
			return;
		sc_memory_open(&sc_memory, a.start);
	}
}

EXPORT int mprotect(void *start, size_t bytes, int protection)
{
	protecting((uint64_t)start, bytes, protection);
	return SC_REAL(mprotect)(start, bytes, protection);
}

EXPORT int pkey_mprotect(void *start, size_t bytes, int protection, int key)
{
	protecting((uint64_t)start, bytes, key > 0 ? PROT_NONE : protection);
	return SC_REAL(pkey_mprotect)(start, bytes, protection, key);
}

/* These fail for pages that may not be touched. */
EXPORT int mlock(const void *start, size_t bytes)
{
	sc_host_open((uint64_t)start, bytes);
	return SC_REAL(mlock)(start, bytes);
}

EXPORT int mlock2(const void *start, size_t bytes, unsigned flags)
{
	sc_host_open((uint64_t)start, bytes);
	return SC_REAL(mlock2)(start, bytes, flags);
}

EXPORT int madvise(void *start, size_t bytes, int advice)
{
	sc_host_open((uint64_t)start, bytes);
	return SC_REAL(madvise)(start, bytes, advice);
}
