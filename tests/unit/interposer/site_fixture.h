/* A session whose calls come again from one place, and the records that they leave. */
#pragma once

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "interposer/call/api.h"
#include "interposer/call/call.h"
#include "interposer/core/module.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/driver/driver.h"
#include "interposer/driver/entry.h"
#include "interposer/hook/site.h"
#include "interposer/object/handle.h"
#include "interposer/object/memory.h"
#include "interposer/stack/stack.h"
#include "trace/slot.h"

#define RAW(n)	((void *)(uintptr_t)(n))
#define CONTEXT RAW(0x100)
#define STREAM	RAW(0x200)
#define HOST	UINT64_C(0x7000)
#define SLOTS	80 /* of a record */

static char path[64];
static CUcontext current;
static CUresult answer; /* of each call */
static unsigned found;

/* The call that a test repeats: neither inlined nor copied for some callers. */
static void (*volatile call)(int kind, unsigned number);

static inline CUresult get_current(CUcontext *context)
{
	*context = current;
	return CUDA_SUCCESS;
}

/* A live session in a context with one stream; the file says what else its driver does. */
static inline void open_session(const struct sc_driver *driver)
{
	snprintf(path, sizeof(path), "/tmp/test_site.%d.sct", getpid());
	unlink(path);
	memset((void *)&sc_session, 0, sizeof(sc_session));
	memset(&sc_self, 0, sizeof(sc_self));
	assert_int_equal(sc_writer_open(&sc_session.writer, path, 1 << 21), 0);
	atomic_store(&sc_session.state, SC_LIVE);
	sc_entries.calls = *driver;
	sc_entries.calls.CtxGetCurrent = get_current;
	atomic_store(&sc_entries.driver_known, 1);
	sc_stacks.slot = mmap(NULL, SC_STACK_SLOTS * sizeof(void *), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal((void *)sc_stacks.slot, MAP_FAILED);
	sc_session.options.stack_depth = 1; /* only the place itself, unless a test says more */
	answer = CUDA_SUCCESS;
	found = 0;
	current = CONTEXT;
	sc_context_current();
	sc_handle_make(SC_HANDLE_STREAM, STREAM, 0, 1);
}

static inline int tear_down(void **state)
{
	(void)state;
	sc_writer_close(&sc_session.writer);
	sc_modules_forget();
	unlink(path);
	return 0;
}

/* True if the calls since the last question were found by their place. */
static inline bool was_found(void)
{
	unsigned before = found;

	found = sc_self.found; /* from 0 again where a place was kept */
	return found > before;
}

/* The first call from its place is kept: the second one is found by it. */
static inline void expect_kept_at_once(int kind, unsigned number)
{
	volatile unsigned i; /* one place, whatever the compiler would make of the loop */

	for (i = 0; i < 2; i++) {
		call(kind, number);
		assert_int_equal(was_found(), i);
	}
}

/* The last record's slots, without its time; its checksum is right. */
static inline unsigned last_record(struct sc_slot out[SLOTS])
{
	uint64_t end = sc_session.writer.head->slots, first = end;

	do
		first--;
	while (SC_SLOT_TYPE(sc_session.writer.slots[first].head) != SC_SLOT_FIRST);
	assert_true(end - first <= SLOTS);
	assert_int_equal(SC_SLOT_LEFT(sc_session.writer.slots[first].head), end - first - 1);
	memcpy(out, sc_session.writer.slots + first, (end - first) * sizeof(*out));
	assert_int_equal(sc_slot_check(out, (uint32_t)(end - first)),
			 sc_slot_word((uint8_t *)out + SC_SLOT_CHECK));
	memset((uint8_t *)out + SC_SLOT_CHECK, 0, sizeof(uint64_t));
	memset(out->data + offsetof(struct sc_op, time_ns), 0, 8);
	return (unsigned)(end - first);
}

/* The same call by its site, then by the ordinary way, which writes nothing else besides. */
static inline void compare_ways(int kind, unsigned number, bool is_kept)
{
	struct sc_slot by_site[SLOTS], ordinary[SLOTS];
	volatile unsigned i; /* one place, whatever the compiler would make of the loop */
	unsigned slots = 0;

	sc_session.options.stack_depth = 32;
	sc_self.credit = 10;
	for (i = 0; i < 5; i++) {
		if (i == 4) {
			assert_int_equal(was_found(), is_kept);
			slots = last_record(by_site);
			sc_session_changed();
		} else if (i == 2) {
			was_found();
		}
		call(kind, number);
	}
	assert_false(was_found());
	assert_int_equal(last_record(ordinary), slots);
	assert_memory_equal(by_site, ordinary, slots * sizeof(*ordinary));
}
