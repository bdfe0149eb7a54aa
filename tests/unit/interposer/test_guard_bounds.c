/* The page guard: kernels and polling, many operations, what it costs at most, callbacks. */
#include "tests/unit/interposer/guard_fixture.h"

EACH_TEST(set_up, tear_down)

/* ---- kernels ---- */

TEST(a_kernel_may_reach_all_of_what_a_parameter_points_into)
{
	launch(&stream, 5, address(3 * PAGE + 8));
	assert_int_equal(rights(buffer), NOTHING);
	assert_int_equal(rights(buffer + BUFFER - 1), NOTHING);
	sc_guard_waited_stream(sc_handle_refer(&stream), 6);
	assert_int_equal(rights(buffer), ALL);
}

TEST(a_kernel_reaches_nothing_beyond_its_parameters)
{
	launch(&stream, 5, address(BUFFER));
	assert_int_equal(rights(buffer + BUFFER - 1), ALL);
}

TEST(the_second_look_at_a_flag_is_a_poll)
{
	struct sc_fault_access first = look(100, 64), second = look(100, 64);

	launch(&stream, 5, address(0));
	assert_int_equal(sc_guard_fault(&first), SC_FAULT_FIRST);
	assert_false(first.is_poll);
	sc_guard_rearm(address(0));
	assert_int_equal(rights(buffer), NOTHING);
	assert_int_equal(sc_guard_fault(&second), SC_FAULT_OPENED);
	assert_true(second.is_poll);
	assert_int_equal(rights(buffer), ALL);
}

TEST(a_loop_may_look_from_two_instructions)
{
	struct sc_fault_access first = look(100, 64), second = look(120, 64), third = look(120, 64);

	launch(&stream, 5, address(0));
	assert_int_equal(sc_guard_fault(&first), SC_FAULT_FIRST);
	assert_int_equal(sc_guard_fault(&second), SC_FAULT_FIRST);
	assert_false(second.is_poll);
	assert_int_equal(sc_guard_fault(&third), SC_FAULT_OPENED);
	assert_true(third.is_poll);
}

/* What the guard says of a look, which is then repeated if it was stepped over. */
static enum sc_fault say(uint64_t pc, size_t offset, bool is_poll)
{
	struct sc_fault_access t = look(pc, offset);
	enum sc_fault verdict = sc_guard_fault(&t);

	assert_int_equal(t.is_poll, is_poll);
	if (verdict != SC_FAULT_OPENED)
		sc_guard_rearm(address(0));
	return verdict;
}

TEST(a_loop_over_results_is_no_poll)
{
	launch(&stream, 5, address(0));
	assert_int_equal(say(100, 64, false), SC_FAULT_FIRST);
	for (size_t at = 68; at < 64 + 4 * SC_WATCHPOINT_POLLS; at += 4)
		assert_int_equal(say(100, at, false), SC_FAULT_NEIGHBOUR);
	assert_int_equal(say(100, 64 + 4 * SC_WATCHPOINT_POLLS, false), SC_FAULT_OPENED);
	assert_int_equal(rights(buffer), ALL);
}

TEST(two_words_may_be_polled_in_turn)
{
	launch(&stream, 5, address(0));
	assert_int_equal(say(100, 64, false), SC_FAULT_FIRST);
	assert_int_equal(say(120, 512, false), SC_FAULT_FIRST);
	assert_int_equal(say(100, 64, true), SC_FAULT_NEIGHBOUR);
	assert_int_equal(say(120, 512, true), SC_FAULT_OPENED);
	assert_int_equal(rights(buffer), ALL);
}

TEST(one_instruction_may_poll_several_words)
{
	launch(&stream, 5, address(0));
	assert_int_equal(say(100, 64, false), SC_FAULT_FIRST);
	assert_int_equal(say(100, 68, false), SC_FAULT_NEIGHBOUR);
	assert_int_equal(say(100, 64, true), SC_FAULT_NEIGHBOUR);
	assert_int_equal(say(100, 68, true), SC_FAULT_OPENED);
}

TEST(looks_without_a_pattern_end)
{
	launch(&stream, 5, address(0));
	for (size_t i = 0; i < SC_WATCHPOINT_POLLS; i++)
		assert_int_equal(say(100 + i, 64 * i, false), SC_FAULT_FIRST);
	assert_int_equal(say(200, 8, false), SC_FAULT_HIT);
	assert_int_equal(rights(buffer), ALL);
}

TEST(a_read_after_another_launch_is_a_first_one)
{
	struct sc_fault_access first = look(100, 64), second = look(100, 64);

	launch(&stream, 5, address(0));
	assert_int_equal(sc_guard_fault(&first), SC_FAULT_FIRST);
	launch(&stream, 7, address(0));
	assert_int_equal(sc_guard_fault(&second), SC_FAULT_FIRST);
	assert_false(second.is_poll);
}

TEST(a_write_to_what_a_kernel_reaches_is_a_hit)
{
	launch(&stream, 5, address(0));
	assert_int_equal(fault(address(64), true), SC_FAULT_HIT);
	assert_int_equal(rights(buffer), ALL);
}

/* ---- many operations ---- */

TEST(the_same_operand_again_is_one_arm)
{
	for (uint64_t sequence = 5; sequence < 5000; sequence++)
		copy_out(&stream, sequence, 0, PAGE);
	assert_int_equal(sc_guard.used, 1);
	sc_guard_waited_stream(sc_handle_refer(&stream), 4999);
	assert_int_equal(rights(buffer), NOTHING);
	sc_guard_waited_stream(sc_handle_refer(&stream), 5000);
	assert_int_equal(rights(buffer), ALL);
}

TEST(the_same_operand_in_another_stream_is_another_arm)
{
	copy_out(&stream, 5, 0, PAGE);
	copy_out(&other, 6, 0, PAGE);
	sc_guard_waited_stream(sc_handle_refer(&other), 7);
	assert_int_equal(rights(buffer), NOTHING);
	sc_guard_waited_stream(sc_handle_refer(&stream), 8);
	assert_int_equal(rights(buffer), ALL);
}

/* ---- bounds ---- */

TEST(a_hot_page_is_given_up_and_said)
{
	unsigned steps = 0;

	copy_out(&stream, 5, 100, 2 * PAGE);
	while (fault(address(8), true) == SC_FAULT_NEIGHBOUR && steps < 1000)
		steps++;
	assert_int_equal(steps, 256);
	assert_int_equal(sc_guard.given_up, 1);
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(rights(buffer + PAGE), NOTHING);
}

TEST(a_lock_beside_an_operand_is_not_stepped_over)
{
	struct sc_fault_access t = look(100, 8);

	copy_out(&stream, 5, 100, 64);
	t.is_write = t.is_locked = true;
	assert_int_equal(sc_guard_fault(&t), SC_FAULT_OPENED);
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(sc_guard.given_up, 1);
}

TEST(a_hot_page_of_many_operands_is_one)
{
	struct sc_fault_access t = look(100, 8);

	for (unsigned i = 0; i < 10; i++)
		copy_out(&stream, 5 + i, 100 + 64 * i, 64);
	t.is_write = t.is_locked = true;
	assert_int_equal(sc_guard_fault(&t), SC_FAULT_OPENED);
	assert_int_equal(sc_guard.given_up, 1);
}

TEST(a_process_that_stepped_too_often_gives_its_operand_up)
{
	copy_out(&stream, 5, 100, 2 * PAGE);
	sc_guard.hot.steps = 1000000;
	assert_int_equal(fault(address(8), true), SC_FAULT_OPENED);
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(rights(buffer + PAGE), ALL);
}

TEST(of_a_sparse_operand_pieces_are_protected)
{
	const size_t bytes = SC_GUARD_BYTES + (8 << 20);
	char *large = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sc_known_allocation a = {
		.start = (uint64_t)large, .bytes = bytes, .object = 2, .memory = SC_MEM_PINNED};
	char *small = buffer;

	sc_memory_insert(&sc_memory, &a);
	buffer = large;
	copy_out(&stream, 5, 0, bytes);
	buffer = small;
	assert_int_equal(rights(large), NOTHING);
	assert_int_equal(rights(large + bytes - 1), NOTHING);
	assert_int_equal(rights(large + (1 << 17)), ALL);
	assert_int_equal(sc_guard.sparse, 1);
	sc_guard_waited_stream(sc_handle_refer(&stream), 6);
	assert_int_equal(rights(large), ALL);
	munmap(large, bytes);
}

TEST(what_a_callback_opens_is_watched_as_its_own)
{
	copy_out(&stream, 5, 0, 64);
	sc_self.callback = 3;
	assert_int_equal(fault(address(8), true), SC_FAULT_HIT);
	assert_int_equal(rights(buffer), ALL);
	sc_guard_callback_ended(stream.id, 1, 6);
	sc_self.callback = 0;
	assert_int_equal(rights(buffer), NOTHING);
	sc_guard_waited_stream(sc_handle_refer(&stream), 7);
	assert_int_equal(rights(buffer), ALL);
}
