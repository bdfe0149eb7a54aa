/* The page guard: what is protected when, and what a fault means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include "interposer/call.h"
#include "interposer/session.h"

#define PAGE	  4096
#define BUFFER	  (16 * PAGE)
#define NOTHING	  0
#define READ_ONLY 1
#define ALL	  2

static char *buffer;
static struct sc_handle stream, other, event;

/* What the host may do with a byte: the kernel is asked, so that no signal is needed. */
static int rights(const char *at)
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

static int set_up(void **state)
{
	struct sc_allocation a;

	(void)state;
	memset(&sc_session.guard, 0, sizeof(sc_session.guard));
	memset(&sc_session.memory, 0, sizeof(sc_session.memory));
	sc_session.options.guard = SC_GUARD_FULL;
	sc_session.options.guard_max_bytes = UINT64_C(1) << 30;
	buffer = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stream = (struct sc_handle){.id = 1, .context = 1};
	other = (struct sc_handle){.id = 2, .context = 1, .flags = SC_FLAG_NON_BLOCKING};
	event = (struct sc_handle){.id = 3, .context = 1};
	a = (struct sc_allocation){
		.start = (uint64_t)buffer, .bytes = BUFFER, .object = 1, .memory = SC_MEM_PINNED};
	return sc_memory_add(&sc_session.memory, &a);
}

static int tear_down(void **state)
{
	(void)state;
	sc_guard_lift();
	return munmap(buffer, BUFFER);
}

/* An enqueued copy between device memory and `bytes` of the buffer at `offset`. */
static void copy_out(struct sc_handle *in, uint64_t sequence, size_t offset, size_t bytes)
{
	struct sc_call call = {.stream = in, .sequence = sequence};

	call.op = (struct sc_op){.kind = SC_OP_COPY,
				 .context = 1,
				 .dst = (uint64_t)buffer + offset,
				 .src = 0x1000,
				 .bytes = bytes,
				 .dst_mem = SC_MEM_PINNED,
				 .src_mem = SC_MEM_DEVICE};
	sc_guard_arm(&call);
}

static void copy_in(struct sc_handle *from, uint64_t sequence, size_t offset, size_t bytes)
{
	struct sc_call call = {.stream = from, .sequence = sequence};

	call.op = (struct sc_op){.kind = SC_OP_COPY,
				 .context = 1,
				 .src = (uint64_t)buffer + offset,
				 .dst = 0x1000,
				 .bytes = bytes,
				 .src_mem = SC_MEM_PINNED,
				 .dst_mem = SC_MEM_DEVICE};
	sc_guard_arm(&call);
}

static uint64_t address(size_t offset)
{
	return (uint64_t)buffer + offset;
}

/* What a fault of an access of `bytes` at this place means. */
static enum sc_fault fault_of(uint64_t start, uint64_t bytes, bool is_write)
{
	struct sc_touched t = {.page = start & ~(SC_PAGE - 1),
			       .start = start,
			       .bytes = bytes,
			       .is_write = is_write,
			       .may_step = true};

	return sc_guard_fault(&t);
}

static enum sc_fault fault(uint64_t start, bool is_write)
{
	return fault_of(start, 1, is_write);
}

static void test_a_destination_may_not_be_touched(void **state)
{
	(void)state;
	copy_out(&stream, 5, PAGE, PAGE);
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(rights(buffer + PAGE), NOTHING);
	assert_int_equal(rights(buffer + 2 * PAGE), ALL);
}

static void test_a_source_may_be_read(void **state)
{
	(void)state;
	copy_in(&stream, 5, 0, PAGE);
	assert_int_equal(rights(buffer), READ_ONLY);
	assert_int_equal(fault(address(8), true), SC_FAULT_HIT);
	assert_int_equal(rights(buffer), ALL);
}

static void test_a_wait_for_the_stream_opens(void **state)
{
	(void)state;
	copy_out(&stream, 5, 0, PAGE);
	sc_guard_waited_stream(&stream, 6);
	assert_int_equal(rights(buffer), ALL);
}

static void test_a_wait_that_began_before_the_copy_does_not(void **state)
{
	(void)state;
	copy_out(&stream, 5, 0, PAGE);
	sc_guard_waited_stream(&stream, 4);
	assert_int_equal(rights(buffer), NOTHING);
}

static void test_a_wait_for_another_stream_does_not(void **state)
{
	(void)state;
	copy_out(&stream, 5, 0, PAGE);
	sc_guard_waited_stream(&other, 6);
	assert_int_equal(rights(buffer), NOTHING);
}

static void test_a_wait_for_legacy_covers_blocking_streams_only(void **state)
{
	struct sc_handle legacy = {.id = 9, .context = 1, .flags = SC_FLAG_LEGACY};

	(void)state;
	copy_out(&stream, 5, 0, PAGE);
	copy_out(&other, 6, PAGE, PAGE);
	sc_guard_waited_stream(&legacy, 7);
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(rights(buffer + PAGE), NOTHING);
}

static void test_an_event_covers_what_was_before_its_record(void **state)
{
	(void)state;
	copy_out(&stream, 5, 0, PAGE);
	sc_guard_record(&event, &stream, 6);
	copy_out(&stream, 7, PAGE, PAGE);
	sc_guard_waited_event(&event);
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(rights(buffer + PAGE), NOTHING);
}

static void test_a_stream_inherits_by_waiting_for_an_event(void **state)
{
	(void)state;
	copy_out(&stream, 5, 0, PAGE);
	sc_guard_record(&event, &stream, 6);
	sc_guard_join(&other, &event);
	sc_guard_waited_stream(&other, 8);
	assert_int_equal(rights(buffer), ALL);
}

static void test_a_wait_for_the_context_opens_all(void **state)
{
	(void)state;
	copy_out(&stream, 5, 0, PAGE);
	copy_in(&other, 6, PAGE, PAGE);
	sc_guard_open_context(1, 7);
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(rights(buffer + PAGE), ALL);
}

static void test_overlapping_operands_keep_the_stricter_right(void **state)
{
	(void)state;
	copy_in(&stream, 5, 0, 2 * PAGE);
	copy_out(&other, 6, PAGE, 2 * PAGE);
	assert_int_equal(rights(buffer), READ_ONLY);
	assert_int_equal(rights(buffer + PAGE), NOTHING);
	assert_int_equal(rights(buffer + 2 * PAGE), NOTHING);
	sc_guard_waited_stream(&other, 7);
	assert_int_equal(rights(buffer + PAGE), READ_ONLY);
	assert_int_equal(rights(buffer + 2 * PAGE), ALL);
}

static void test_neighbours_on_the_page_are_no_hits(void **state)
{
	(void)state;
	copy_out(&stream, 5, 100, 50);
	assert_int_equal(fault(address(99), false), SC_FAULT_NEIGHBOUR);
	assert_int_equal(rights(buffer), ALL); /* for one instruction */
	sc_guard_rearm(address(0));
	assert_int_equal(rights(buffer), NOTHING);
	assert_int_equal(fault(address(150), false), SC_FAULT_NEIGHBOUR);
	sc_guard_rearm(address(0));
	assert_int_equal(fault(address(100), false), SC_FAULT_HIT);
	assert_int_equal(rights(buffer), ALL);
}

static void test_the_gaps_of_a_rectangle_are_neighbours(void **state)
{
	struct sc_call call = {.stream = &stream, .sequence = 5, .parts = 1};
	struct sc_access rows = {.base = address(0),
				 .width = 16,
				 .pitch = 64,
				 .rows = 4,
				 .slices = 1,
				 .mode = SC_WRITE,
				 .memory = SC_MEM_PINNED};

	(void)state;
	call.op = (struct sc_op){.kind = SC_OP_COPY,
				 .context = 1,
				 .dst_mem = SC_MEM_PINNED,
				 .src_mem = SC_MEM_DEVICE};
	call.part[0] = (struct sc_attachment){SC_ATTACH_ACCESSES, sizeof(rows), &rows};
	sc_guard_arm(&call);
	assert_int_equal(fault(address(16), true), SC_FAULT_NEIGHBOUR);
	assert_int_equal(fault(address(63), true), SC_FAULT_NEIGHBOUR);
	assert_int_equal(fault(address(208), true), SC_FAULT_NEIGHBOUR);
	assert_int_equal(fault(address(207), true), SC_FAULT_HIT);
}

static void test_faults_elsewhere_are_foreign(void **state)
{
	(void)state;
	copy_out(&stream, 5, PAGE, PAGE);
	assert_int_equal(fault(address(0), true), SC_FAULT_FOREIGN);
	assert_int_equal(fault(8, true), SC_FAULT_FOREIGN);
}

static void test_a_system_call_opens_its_buffer(void **state)
{
	(void)state;
	copy_out(&stream, 5, 100, 50);
	assert_false(sc_guard_access(address(0), 50, false)); /* same page, other bytes */
	assert_int_equal(rights(buffer), ALL);
	copy_out(&stream, 6, 100, 50);
	assert_true(sc_guard_access(address(0), 101, false));
	assert_int_equal(rights(buffer), ALL);
}

static void test_reading_a_source_is_no_conflict_for_a_system_call(void **state)
{
	(void)state;
	copy_in(&stream, 5, 0, 64);
	assert_false(sc_guard_access(address(0), 64, false));
	assert_int_equal(rights(buffer), READ_ONLY);
	assert_true(sc_guard_access(address(0), 64, true));
}

static void test_host_to_host_is_not_guarded(void **state)
{
	struct sc_call call = {.stream = &stream, .sequence = 5};

	(void)state;
	call.op = (struct sc_op){.kind = SC_OP_COPY,
				 .context = 1,
				 .dst = address(0),
				 .src = address(PAGE),
				 .bytes = 64,
				 .dst_mem = SC_MEM_PINNED,
				 .src_mem = SC_MEM_PINNED};
	sc_guard_arm(&call);
	assert_int_equal(rights(buffer), ALL);
}

static void test_pages_shared_with_foreign_bytes_stay_open(void **state)
{
	struct sc_allocation a = {.start = address(PAGE / 2),
				  .bytes = 2 * PAGE,
				  .object = 2,
				  .memory = SC_MEM_REGISTERED};
	struct sc_call call = {.stream = &stream, .sequence = 5};

	(void)state;
	sc_memory_add(&sc_session.memory, &a);
	call.op = (struct sc_op){.kind = SC_OP_COPY,
				 .context = 1,
				 .dst = a.start,
				 .bytes = a.bytes,
				 .dst_mem = SC_MEM_REGISTERED,
				 .src_mem = SC_MEM_DEVICE};
	sc_guard_arm(&call);
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(rights(buffer + PAGE), NOTHING);
	assert_int_equal(rights(buffer + 2 * PAGE), ALL);
}

static void test_the_end_of_pageable_memory_in_flight_is_noticed(void **state)
{
	struct sc_call call = {.stream = &stream, .sequence = 5};

	(void)state;
	call.op = (struct sc_op){.kind = SC_OP_COPY,
				 .context = 1,
				 .src = address(PAGE),
				 .bytes = 64,
				 .src_mem = SC_MEM_PAGEABLE,
				 .dst_mem = SC_MEM_DEVICE};
	sc_guard_arm(&call);
	assert_int_equal(rights(buffer + PAGE), ALL);
	assert_false(sc_guard_end(address(0), 64));
	assert_true(sc_guard_end(address(0), 2 * PAGE));
	assert_false(sc_guard_end(address(0), 2 * PAGE)); /* once */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_destination_may_not_be_touched),
		TEST(test_a_source_may_be_read),
		TEST(test_a_wait_for_the_stream_opens),
		TEST(test_a_wait_that_began_before_the_copy_does_not),
		TEST(test_a_wait_for_another_stream_does_not),
		TEST(test_a_wait_for_legacy_covers_blocking_streams_only),
		TEST(test_an_event_covers_what_was_before_its_record),
		TEST(test_a_stream_inherits_by_waiting_for_an_event),
		TEST(test_a_wait_for_the_context_opens_all),
		TEST(test_overlapping_operands_keep_the_stricter_right),
		TEST(test_neighbours_on_the_page_are_no_hits),
		TEST(test_the_gaps_of_a_rectangle_are_neighbours),
		TEST(test_faults_elsewhere_are_foreign),
		TEST(test_a_system_call_opens_its_buffer),
		TEST(test_reading_a_source_is_no_conflict_for_a_system_call),
		TEST(test_host_to_host_is_not_guarded),
		TEST(test_pages_shared_with_foreign_bytes_stay_open),
		TEST(test_the_end_of_pageable_memory_in_flight_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
