/* The page guard: what is protected when, and what a fault means. */
#include "tests/unit/interposer/guard_rows.h"

EACH_TEST(set_up, tear_down)

TEST(a_destination_may_not_be_touched)
{
	copy_out(&stream, 5, PAGE, PAGE);
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(rights(buffer + PAGE), NOTHING);
	assert_int_equal(rights(buffer + 2 * PAGE), ALL);
}

TEST(a_source_may_be_read)
{
	copy_in(&stream, 5, 0, PAGE);
	assert_int_equal(rights(buffer), READ_ONLY);
	assert_int_equal(fault(address(8), true), SC_FAULT_HIT);
	assert_int_equal(rights(buffer), ALL);
}

TEST(a_wait_for_the_stream_opens)
{
	copy_out(&stream, 5, 0, PAGE);
	sc_guard_waited_stream(sc_handle_refer(&stream), 6);
	assert_int_equal(rights(buffer), ALL);
}

TEST(a_wait_that_began_before_the_copy_does_not)
{
	copy_out(&stream, 5, 0, PAGE);
	sc_guard_waited_stream(sc_handle_refer(&stream), 4);
	assert_int_equal(rights(buffer), NOTHING);
}

TEST(a_wait_for_another_stream_does_not)
{
	copy_out(&stream, 5, 0, PAGE);
	sc_guard_waited_stream(sc_handle_refer(&other), 6);
	assert_int_equal(rights(buffer), NOTHING);
}

TEST(a_wait_for_legacy_covers_blocking_streams_only)
{
	struct sc_handle legacy = {.id = 9, .context = 1, .flags = SC_FLAG_LEGACY};

	copy_out(&stream, 5, 0, PAGE);
	copy_out(&other, 6, PAGE, PAGE);
	sc_guard_waited_stream(sc_handle_refer(&legacy), 7);
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(rights(buffer + PAGE), NOTHING);
}

TEST(an_event_covers_what_was_before_its_record)
{
	copy_out(&stream, 5, 0, PAGE);
	sc_guard_record(sc_handle_refer(&event), sc_handle_refer(&stream), 6);
	copy_out(&stream, 7, PAGE, PAGE);
	sc_guard_waited_event(sc_handle_refer(&event));
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(rights(buffer + PAGE), NOTHING);
}

TEST(a_stream_inherits_by_waiting_for_an_event)
{
	copy_out(&stream, 5, 0, PAGE);
	sc_guard_record(sc_handle_refer(&event), sc_handle_refer(&stream), 6);
	sc_guard_join(sc_handle_refer(&other), sc_handle_refer(&event));
	sc_guard_waited_stream(sc_handle_refer(&other), 8);
	assert_int_equal(rights(buffer), ALL);
}

/* The record stood for another event, of which this is known, or for another stream. */
TEST(nothing_is_known_of_a_record_that_is_used_again)
{
	struct sc_handle_ref before = sc_handle_refer(&event);

	copy_out(&stream, 5, 0, PAGE);
	sc_guard_record(before, sc_handle_refer(&stream), 6);
	event.id = 4;
	sc_guard_waited_event(sc_handle_refer(&event));
	assert_int_equal(rights(buffer), NOTHING);
	sc_guard_join(sc_handle_refer(&other), sc_handle_refer(&event));
	sc_guard_waited_stream(sc_handle_refer(&other), 8);
	assert_int_equal(rights(buffer), NOTHING);
	sc_guard_record(before, sc_handle_refer(&stream), 9); /* by a call that began before */
	sc_guard_waited_event(sc_handle_refer(&event));
	assert_int_equal(rights(buffer), NOTHING);
}

TEST(a_wait_for_the_context_opens_all)
{
	copy_out(&stream, 5, 0, PAGE);
	copy_in(&other, 6, PAGE, PAGE);
	sc_guard_open_context(1, 7);
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(rights(buffer + PAGE), ALL);
}

TEST(overlapping_operands_keep_the_stricter_right)
{
	copy_in(&stream, 5, 0, 2 * PAGE);
	copy_out(&other, 6, PAGE, 2 * PAGE);
	assert_int_equal(rights(buffer), READ_ONLY);
	assert_int_equal(rights(buffer + PAGE), NOTHING);
	assert_int_equal(rights(buffer + 2 * PAGE), NOTHING);
	sc_guard_waited_stream(sc_handle_refer(&other), 7);
	assert_int_equal(rights(buffer + PAGE), READ_ONLY);
	assert_int_equal(rights(buffer + 2 * PAGE), ALL);
}

TEST(neighbours_on_the_page_are_no_hits)
{
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

TEST(the_gaps_of_a_rectangle_are_neighbours)
{
	copy_out_rows(&stream, 5);
	assert_int_equal(fault(address(16), true), SC_FAULT_NEIGHBOUR);
	assert_int_equal(fault(address(63), true), SC_FAULT_NEIGHBOUR);
	assert_int_equal(fault(address(208), true), SC_FAULT_NEIGHBOUR);
	assert_int_equal(fault(address(207), true), SC_FAULT_HIT);
}

TEST(faults_elsewhere_are_foreign)
{
	copy_out(&stream, 5, PAGE, PAGE);
	assert_int_equal(fault(address(0), true), SC_FAULT_FOREIGN);
	assert_int_equal(fault(8, true), SC_FAULT_FOREIGN);
}

TEST(a_system_call_opens_its_buffer)
{
	copy_out(&stream, 5, 100, 50);
	assert_false(sc_guard_access(address(0), 50, false)); /* same page, other bytes */
	assert_int_equal(rights(buffer), ALL);
	copy_out(&stream, 6, 100, 50);
	assert_true(sc_guard_access(address(0), 101, false));
	assert_int_equal(rights(buffer), ALL);
}

TEST(reading_a_source_is_no_conflict_for_a_system_call)
{
	copy_in(&stream, 5, 0, 64);
	assert_false(sc_guard_access(address(0), 64, false));
	assert_int_equal(rights(buffer), READ_ONLY);
	assert_true(sc_guard_access(address(0), 64, true));
}

TEST(host_to_host_is_not_guarded)
{
	struct sc_call call = {.stream = &stream, .stream_id = stream.id, .sequence = 5};

	call.op = (struct sc_op){.kind = SC_OP_COPY,
				 .context = 1,
				 .dst = address(0),
				 .src = address(PAGE),
				 .bytes = 64,
				 .dst_mem = SC_MEM_PINNED,
				 .src_mem = SC_MEM_PINNED};
	watch(&call);
	assert_int_equal(rights(buffer), ALL);
}

TEST(pages_shared_with_foreign_bytes_stay_open)
{
	struct sc_known_allocation a = {.start = address(PAGE / 2),
					.bytes = 2 * PAGE,
					.object = 2,
					.memory = SC_MEM_REGISTERED};
	struct sc_call call = {.stream = &stream, .stream_id = stream.id, .sequence = 5};

	sc_memory_insert(&sc_memory, &a);
	call.op = (struct sc_op){.kind = SC_OP_COPY,
				 .context = 1,
				 .dst = a.start,
				 .bytes = a.bytes,
				 .dst_mem = SC_MEM_REGISTERED,
				 .src_mem = SC_MEM_DEVICE};
	watch(&call);
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(rights(buffer + PAGE), NOTHING);
	assert_int_equal(rights(buffer + 2 * PAGE), ALL);
}

TEST(the_end_of_pageable_memory_in_flight_is_noticed)
{
	struct sc_call call = {.stream = &stream, .stream_id = stream.id, .sequence = 5};

	call.op = (struct sc_op){.kind = SC_OP_COPY,
				 .context = 1,
				 .src = address(PAGE),
				 .bytes = 64,
				 .src_mem = SC_MEM_PAGEABLE,
				 .dst_mem = SC_MEM_DEVICE};
	watch(&call);
	assert_int_equal(rights(buffer + PAGE), ALL);
	assert_false(sc_guard_end(address(0), 64));
	assert_true(sc_guard_end(address(0), 2 * PAGE));
	assert_false(sc_guard_end(address(0), 2 * PAGE)); /* once */
}
