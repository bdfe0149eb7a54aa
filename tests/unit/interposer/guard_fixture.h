/* A buffer of pinned memory, operations that use it, and what the host may do with it. */
#pragma once

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "interposer/call/enqueued.h"
#include "interposer/core/session.h"
#include "interposer/object/memory.h"
#include "interposer/object/handle.h"
#include "interposer/guard/watch.h"
#include "interposer/guard/guard.h"
#include "interposer/guard/watchpoint.h"

#define PAGE	  4096
#define BUFFER	  (16 * PAGE)
#define NOTHING	  0
#define READ_ONLY 1
#define ALL	  2

static char *buffer;
static __attribute__((unused)) struct sc_handle stream, other, event;

/* What the host may do with a byte: the kernel is asked, so that no signal is needed. */
static inline int rights(const char *at)
{
	int fd[2], result = NOTHING;
	char byte = 0;

	assert_int_equal(pipe(fd), 0);
	if (write(fd[1], at, 1) == 1)
		result = READ_ONLY;
	else
		assert_int_equal(write(fd[1], &byte, 1), 1);
	if (result == READ_ONLY && read(fd[0], (char *)(uintptr_t)at, 1) == 1)
		result = ALL;
	close(fd[0]);
	close(fd[1]);
	return result;
}

static inline int set_up(void **state)
{
	struct sc_known_allocation a;

	(void)state;
	memset(&sc_guard, 0, sizeof(sc_guard));
	memset(&sc_memory, 0, sizeof(sc_memory));
	sc_session.options.guard = SC_GUARD_FULL;
	buffer = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stream = (struct sc_handle){.id = 1, .context = 1};
	other = (struct sc_handle){.id = 2, .context = 1, .flags = SC_FLAG_NON_BLOCKING};
	event = (struct sc_handle){.id = 3, .context = 1};
	a = (struct sc_known_allocation){
		.start = (uint64_t)buffer, .bytes = BUFFER, .object = 1, .memory = SC_MEM_PINNED};
	return sc_memory_insert(&sc_memory, &a);
}

static inline int tear_down(void **state)
{
	(void)state;
	sc_guard_lift();
	return munmap(buffer, BUFFER);
}

static inline void watch(const struct sc_call *call)
{
	const struct sc_enqueued operation = sc_call_enqueued(call);

	sc_guard_watch(&operation);
}

/* An enqueued copy between device memory and `bytes` of the buffer at `offset`. */
static inline void copy_out(struct sc_handle *in, uint64_t sequence, size_t offset, size_t bytes)
{
	struct sc_call call = {.stream = in, .stream_id = in->id, .sequence = sequence};

	call.op = (struct sc_op){.kind = SC_OP_COPY,
				 .context = 1,
				 .dst = (uint64_t)buffer + offset,
				 .src = 0x1000,
				 .bytes = bytes,
				 .dst_mem = SC_MEM_PINNED,
				 .src_mem = SC_MEM_DEVICE};
	watch(&call);
}

static inline void copy_in(struct sc_handle *from, uint64_t sequence, size_t offset, size_t bytes)
{
	struct sc_call call = {.stream = from, .stream_id = from->id, .sequence = sequence};

	call.op = (struct sc_op){.kind = SC_OP_COPY,
				 .context = 1,
				 .src = (uint64_t)buffer + offset,
				 .dst = 0x1000,
				 .bytes = bytes,
				 .src_mem = SC_MEM_PINNED,
				 .dst_mem = SC_MEM_DEVICE};
	watch(&call);
}

struct launch {
	struct sc_launch head;
	uint64_t words[2];
};

/* An enqueued kernel whose second parameter is this. */
static inline void launch(struct sc_handle *in, uint64_t sequence, uint64_t parameter)
{
	struct launch values = {.words = {7, parameter}};
	struct sc_call call = {.stream = in, .stream_id = in->id, .sequence = sequence, .parts = 1};

	call.op = (struct sc_op){.kind = SC_OP_KERNEL, .context = 1};
	call.part[0] = (struct sc_attachment){SC_ATTACH_LAUNCH, sizeof(values), &values};
	watch(&call);
}

static inline uint64_t address(size_t offset)
{
	return (uint64_t)buffer + offset;
}

/* A read of this place by the instruction at `pc`. */
static inline struct sc_fault_access look(uint64_t pc, size_t offset)
{
	return (struct sc_fault_access){.page = address(offset) & ~(SC_PAGE - 1),
					.start = address(offset),
					.bytes = 4,
					.pc = pc,
					.may_step = true};
}

/* What a fault of an access to this byte means. */
static inline enum sc_fault fault(uint64_t start, bool is_write)
{
	struct sc_fault_access t = {.page = start & ~(SC_PAGE - 1),
				    .start = start,
				    .bytes = 1,
				    .is_write = is_write,
				    .may_step = true};

	return sc_guard_fault(&t);
}
