/* libc functions that touch memory where the page guard cannot see it, or end memory. */
#undef _FORTIFY_SOURCE
#include "interposer/libc.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "interposer/session.h"
#include "interposer/stack.h"

#define EXPORT __attribute__((visibility("default")))

enum { READ, WRITE };

static void write_host_op(enum sc_op_kind kind, uint64_t start, uint64_t bytes)
{
	struct sc_op op = sc_session_op(kind);
	struct sc_operand o = sc_memory_classify(start, bytes, true);
	struct sc_stack stack = sc_stack_here();

	op.flags = SC_FLAG_LIBC | (stack.library ? SC_FLAG_LIBRARY : 0);
	op.stack = stack.id;
	op.bytes = bytes;
	op.object = o.object;
	if (kind == SC_OP_HOST_READ) {
		op.src = o.address;
		op.src_mem = o.memory;
	} else {
		op.dst = o.address;
		op.dst_mem = o.memory;
	}
	sc_session_put(&op, NULL, 0);
}

/* Opens what the function will touch, and records the access if it is in flight. */
static void touch(uint64_t start, size_t bytes, int mode)
{
	int saved = errno;

	if (sc_guard_access(start, bytes, mode == WRITE) && !sc_self.depth)
		write_host_op(mode == WRITE ? SC_OP_HOST_WRITE : SC_OP_HOST_READ, start, bytes);
	errno = saved;
}

static void look(uint64_t start, size_t bytes, int mode)
{
	if (sc_guard_near(&sc_session.guard, start, bytes) && !sc_self.busy)
		touch(start, bytes, mode);
}

/* The kernel of the host refuses device memory (EFAULT): nothing crashes, nothing is moved. */
static void look_for_device(uint64_t start, size_t bytes, int mode)
{
	struct sc_allocation a;
	int saved = errno;

	if (!bytes || !sc_session_is_live() || sc_self.busy || sc_self.depth)
		return;
	if (sc_memory_find(&sc_session.memory, start, &a) && a.memory == SC_MEM_DEVICE)
		write_host_op(mode == WRITE ? SC_OP_HOST_WRITE : SC_OP_HOST_READ, start, bytes);
	errno = saved;
}

static void look_vector(const struct iovec *vector, size_t count, int mode)
{
	if (!atomic_load_explicit(&sc_session.guard.live, memory_order_relaxed))
		return;
	for (size_t i = 0; i < count; i++)
		look((uint64_t)vector[i].iov_base, vector[i].iov_len, mode);
}

#define LIBC(result, name, parameters, arguments, mode, buffer, bytes) \
	EXPORT result name parameters                                  \
	{                                                              \
		look((uint64_t)(buffer), bytes, mode);                 \
		look_for_device((uint64_t)(buffer), bytes, mode);      \
		return SC_REAL(name) arguments;                        \
	}
#define STDIO(result, name, parameters, arguments, mode, buffer, bytes) \
	EXPORT result name parameters                                   \
	{                                                               \
		look((uint64_t)(buffer), bytes, mode);                  \
		return SC_REAL(name) arguments;                         \
	}
#define VECTOR(result, name, parameters, arguments, mode, vector, count) \
	EXPORT result name parameters                                    \
	{                                                                \
		look_vector(vector, (size_t)(count), mode);              \
		return SC_REAL(name) arguments;                          \
	}
#include "interposer/libc.def"
#undef LIBC
#undef STDIO
#undef VECTOR

/* ---- the end of memory ---- */

/* True if an operation in flight uses the memory that ends. */
static bool ends_in_flight(uint64_t start, uint64_t bytes)
{
	int saved = errno;
	bool conflicts;

	if (!sc_guard_near(&sc_session.guard, start, bytes) || sc_self.busy)
		return false;
	conflicts = sc_guard_end(start, bytes) && !sc_self.depth;
	errno = saved;
	return conflicts;
}

/* Cheap while nothing is in flight: two loads and a comparison. */
static size_t size_if_near(void *pointer)
{
	const struct sc_guard *g = &sc_session.guard;

	if (!atomic_load_explicit(&g->live, memory_order_relaxed) ||
	    (uint64_t)pointer >= atomic_load_explicit(&g->high, memory_order_relaxed) || !pointer)
		return 0;
	return malloc_usable_size(pointer);
}

EXPORT void free(void *pointer)
{
	size_t bytes = size_if_near(pointer);
	typeof(&free) real = SC_REAL(free);

	if (bytes && ends_in_flight((uint64_t)pointer, bytes))
		write_host_op(SC_OP_HOST_FREE, (uint64_t)pointer, bytes);
	if (real)
		real(pointer);
}

EXPORT void *realloc(void *pointer, size_t bytes)
{
	size_t before = size_if_near(pointer);
	bool conflicts = before && ends_in_flight((uint64_t)pointer, before);
	void *moved = SC_REAL(realloc)(pointer, bytes);

	if (conflicts && moved != pointer && (moved || !bytes))
		write_host_op(SC_OP_HOST_FREE, (uint64_t)pointer, before);
	return moved;
}

EXPORT int munmap(void *start, size_t bytes)
{
	if (ends_in_flight((uint64_t)start, bytes))
		write_host_op(SC_OP_HOST_FREE, (uint64_t)start, bytes);
	return SC_REAL(munmap)(start, bytes);
}
