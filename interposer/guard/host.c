/* Host accesses by functions, and the end of host memory. */
#include "interposer/guard/host.h"

#include <errno.h>
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/stack/stack.h"
#include "interposer/python/python.h"
#include "interposer/object/memory.h"
#include "interposer/guard/guard.h"
#include "interposer/guard/watchpoint.h"
#include "interposer/core/thread.h"

#define MOST_PARTS 16 /* of one access */

static uint64_t put(enum sc_op_kind kind, uint64_t start, uint64_t bytes, uint32_t flags)
{
	struct sc_op op = sc_put_new(kind);
	struct sc_call_operand o = sc_memory_classify(start, bytes, true);
	struct sc_stack stack = sc_stack_here();

	op.flags = flags | (stack.library ? SC_FLAG_LIBRARY : 0);
	op.stack = sc_python_stack_of_access(stack.id);
	op.bytes = bytes;
	op.object = o.object;
	if (kind == SC_OP_HOST_READ) {
		op.src = o.address;
		op.src_mem = o.memory;
	} else {
		op.dst = o.address;
		op.dst_mem = o.memory;
	}
	return sc_put_op(&op, NULL, 0);
}

/* Bytes from `start` on that lie in one allocation, or in none. */
static uint64_t part_of(uint64_t start, uint64_t bytes)
{
	struct sc_known_allocation a;
	uint64_t end;

	if (!sc_memory_next(&sc_memory, start, &a))
		return bytes;
	end = a.start > start ? a.start : a.start + a.bytes;
	return end - start < bytes ? end - start : bytes;
}

/* An access may go over registered pages in the middle of a block: each part is an op. The end of a
 * block is one, which the analyzer takes apart. */
uint64_t sc_host_put(enum sc_op_kind kind, uint64_t start, uint64_t bytes, uint32_t flags)
{
	for (unsigned i = 1; kind != SC_OP_HOST_FREE && i < MOST_PARTS; i++) {
		uint64_t part = part_of(start, bytes);

		if (part == bytes)
			break;
		put(kind, start, part, flags);
		start += part;
		bytes -= part;
	}
	return put(kind, start, bytes, flags);
}

static enum sc_op_kind kind_of(bool is_write)
{
	return is_write ? SC_OP_HOST_WRITE : SC_OP_HOST_READ;
}

static bool is_near(uint64_t start, uint64_t bytes)
{
	return sc_guard_near(&sc_guard, start, bytes) && !sc_self.busy;
}

void sc_host_access(uint64_t start, uint64_t bytes, bool is_write)
{
	int saved = errno;

	if (!is_near(start, bytes))
		return;
	if (sc_guard_access(start, bytes, is_write) && !sc_self.depth)
		sc_host_put(kind_of(is_write), start, bytes, SC_FLAG_LIBC);
	errno = saved;
}

void sc_host_access_device(uint64_t start, uint64_t bytes, bool is_write)
{
	struct sc_known_allocation a;
	int saved = errno;

	if (!bytes || !sc_session_is_live() || sc_self.busy || sc_self.depth)
		return;
	if (sc_memory_look_up(&sc_memory, start, &a) && a.memory == SC_MEM_DEVICE)
		sc_host_put(kind_of(is_write), start, bytes, SC_FLAG_LIBC);
	errno = saved;
}

const struct timespec *sc_host_copy_time(struct timespec *copy, const struct timespec *t)
{
	struct sc_known_allocation a;

	if (!sc_memory_may_be_host(&sc_memory, (uint64_t)t) || sc_self.busy ||
	    !sc_memory_look_up(&sc_memory, (uint64_t)t, &a) || !sc_memory_is_host(a.memory))
		return t;
	*copy = *t;
	return copy;
}

bool sc_host_ends(uint64_t start, uint64_t bytes)
{
	int saved = errno;
	bool conflicts;

	if (!is_near(start, bytes))
		return false;
	conflicts = sc_guard_end(start, bytes) && !sc_self.depth;
	errno = saved;
	return conflicts;
}

void sc_host_open(uint64_t start, uint64_t bytes)
{
	if (is_near(start, bytes))
		sc_guard_open_range(start, bytes, false);
}
