/* What calls do to memory: what is opened for them, what stays open, and what counts as touched. */
#include "interposer/libc/side_effect.h"
#include "interposer/guard/unprotected.h"
#include "interposer/guard/watchpoint.h"
#include "interposer/libc/arguments.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "tests/unit/interposer/guard_rows.h"

EACH_TEST(set_up, tear_down)

static struct sc_side_effects effects;

static void begin(void)
{
	sc_side_effect_begin(&effects, SC_FAILS_MINUS);
}

/* Without a session nothing can be recorded. */
static void end(void)
{
	effects.count = 0;
	sc_side_effect_end(&effects, 0);
}

TEST(what_is_watched_during_a_call_is_protected_after_it)
{
	begin();
	sc_side_effect_access(&effects, address(PAGE + 100), 8, true);
	copy_out(&stream, 5, 0, 3 * PAGE);
	assert_int_equal(rights(buffer), NOTHING);
	assert_int_equal(rights(buffer + PAGE), ALL);
	assert_int_equal(rights(buffer + 2 * PAGE), NOTHING);
	end();
	assert_int_equal(rights(buffer + PAGE), NOTHING);
}

static void write_beside(void)
{
	begin();
	sc_side_effect_access(&effects, address(64), 8, true);
	assert_int_equal(effects.count, 0);
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(rights(buffer + PAGE), NOTHING);
	end();
}

TEST(a_call_beside_an_operand_leaves_it_watched)
{
	copy_out(&stream, 5, 128, 2 * PAGE);
	write_beside();
	assert_int_equal(rights(buffer), NOTHING);
}

TEST(the_gaps_of_a_rectangle_are_beside_it)
{
	copy_out_rows(&stream, 5);
	begin();
	sc_side_effect_access(&effects, address(16), 48, true);
	assert_int_equal(effects.count, 0);
	sc_side_effect_access(&effects, address(208), 64, true);
	assert_int_equal(effects.count, 0);
	end();
	assert_int_equal(rights(buffer), NOTHING);
	begin();
	sc_side_effect_access(&effects, address(16), 49, true);
	assert_int_equal(effects.count, 1);
	end();
	assert_int_equal(rights(buffer), ALL);
}

/* Each costs two system calls more. */
TEST(many_calls_beside_an_operand_open_it)
{
	copy_out(&stream, 5, 128, 2 * PAGE);
	for (unsigned i = 0; i < 16; i++)
		write_beside();
	begin();
	sc_side_effect_access(&effects, address(64), 8, true);
	end();
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(rights(buffer + PAGE), ALL);
}

TEST(calls_at_a_time_have_exemptions_of_their_own)
{
	struct sc_side_effects other_effects;

	begin();
	sc_side_effect_access(&effects, address(PAGE), 8, true);
	sc_side_effect_begin(&other_effects, SC_FAILS_MINUS);
	sc_side_effect_access(&other_effects, address(PAGE + 64), 8, true);
	copy_out(&stream, 5, 0, 2 * PAGE);
	sc_side_effect_end(&other_effects, 0);
	assert_int_equal(rights(buffer + PAGE), ALL);
	end();
	assert_int_equal(rights(buffer + PAGE), NOTHING);
}

TEST(a_call_that_was_jumped_out_of_is_forgotten)
{
	struct sc_side_effects *left;
	char below[1024];

	left = (struct sc_side_effects *)(((uintptr_t)below + 7) & ~(uintptr_t)7);
	sc_side_effect_begin(left, SC_FAILS_MINUS);
	sc_side_effect_access(left, address(0), 8, true);
	assert_int_equal(left->exemption, 1);
	sc_guard.exemptions.item[0].frame = (uint64_t)left - 4096; /* as if further down */
	sc_side_effect_begin(left, SC_FAILS_MINUS);
	sc_side_effect_access(left, address(4 * PAGE), 8, true);
	assert_int_equal(left->exemption, 1);
	sc_side_effect_end(left, 0);
	copy_out(&stream, 5, 0, PAGE);
	assert_int_equal(rights(buffer), NOTHING);
}

TEST(a_thread_that_ends_leaves_none)
{
	begin();
	sc_side_effect_access(&effects, address(0), 8, true);
	copy_out(&stream, 5, 0, PAGE);
	sc_guard_end_thread();
	assert_int_equal(rights(buffer), NOTHING);
}

/* A call without a fixed number of arguments leaves in the others what the registers had. */
TEST(a_command_says_how_many_arguments_there_are)
{
	const uint64_t wake[SC_ARGUMENTS] = {0, FUTEX_WAKE_PRIVATE};
	const uint64_t wait[SC_ARGUMENTS] = {0, FUTEX_WAIT};
	const uint64_t requeue[SC_ARGUMENTS] = {0, FUTEX_CMP_REQUEUE};
	const uint64_t get[SC_ARGUMENTS] = {1, F_GETFL}, lock[SC_ARGUMENTS] = {1, F_SETLK};
	const uint64_t name[SC_ARGUMENTS] = {PR_SET_NAME}, map[SC_ARGUMENTS] = {PR_SET_MM};

	assert_int_equal(sc_arguments_of(SYS_futex, wake), 3);
	assert_int_equal(sc_arguments_of(SYS_futex, wait), 4);
	assert_int_equal(sc_arguments_of(SYS_futex, requeue), 6);
	assert_int_equal(sc_arguments_of(SYS_fcntl, get), 2);
	assert_int_equal(sc_arguments_of(SYS_fcntl, lock), 6);
	assert_int_equal(sc_arguments_of(SYS_prctl, name), 2);
	assert_int_equal(sc_arguments_of(SYS_prctl, map), 6);
	assert_int_equal(sc_arguments_of(SYS_write, wake), 6);
}

TEST(too_many_calls_make_the_guard_stand_down)
{
	static struct sc_side_effects many[SC_EXEMPTIONS + 1];

	for (unsigned i = 0; i <= SC_EXEMPTIONS; i++) {
		sc_side_effect_begin(&many[SC_EXEMPTIONS - i], SC_FAILS_MINUS);
		sc_side_effect_access(&many[SC_EXEMPTIONS - i], address(0), 8, true);
	}
	assert_int_equal(sc_guard.stood_down, 1);
}

TEST(other_memory_is_let_alone)
{
	char own[64];

	begin();
	sc_side_effect_access(&effects, (uint64_t)own, sizeof(own), true);
	sc_side_effect_string(&effects, 8, UINT64_MAX);
	sc_side_effect_access(&effects, UINT64_MAX - 4, 64, true);
	assert_false(sc_side_effect_is_needed(&effects));
}

TEST(a_string_ends_where_it_ends)
{
	strcpy(buffer + PAGE - 4, "beyond");
	copy_out(&stream, 5, PAGE + 3, 8);
	copy_out(&stream, 6, 2 * PAGE, PAGE);
	begin();
	sc_side_effect_string(&effects, address(PAGE - 4), UINT64_MAX);
	assert_int_equal(effects.count, 0); /* its last byte is before the operand */
	assert_int_equal(rights(buffer + PAGE), ALL);
	assert_int_equal(rights(buffer + 2 * PAGE), NOTHING);
	end();
}

TEST(a_string_in_an_operand_is_an_access)
{
	strcpy(buffer + PAGE - 4, "beyond");
	copy_out(&stream, 5, PAGE + 2, 8);
	begin();
	sc_side_effect_string(&effects, address(PAGE - 4), UINT64_MAX);
	assert_int_equal(effects.count, 1);
	assert_int_equal(effects.access[0].start, address(PAGE - 4));
	assert_int_equal(effects.access[0].bytes, sizeof("beyond"));
	end();
}

TEST(addresses_that_lead_nowhere_are_not_followed)
{
	uint64_t list[2] = {0x1000, 0};

	begin();
	sc_side_effect_strings(&effects, 0x1000);
	sc_side_effect_vector(&effects, 0x1000, 3, true);
	sc_side_effect_message(&effects, 0x1000, true);
	sc_side_effect_messages(&effects, 0x1000, 3, true);
	sc_side_effect_strings(&effects, (uint64_t)list);
	sc_side_effect_strings(&effects, UINT64_MAX - 8);
	assert_false(sc_side_effect_is_needed(&effects));
}

TEST(parts_of_a_vector_follow_each_other)
{
	struct iovec parts[] = {{buffer, 100}, {buffer + PAGE, 200}};

	copy_out(&stream, 5, 0, 2 * PAGE);
	begin();
	sc_side_effect_vector(&effects, (uint64_t)parts, 2, true);
	assert_int_equal(effects.count, 1); /* the first one opened the operand */
	assert_int_equal(effects.access[0].before, 0);
	assert_int_equal(effects.data, 300);
	end();
}

TEST(a_known_stack_is_never_protected)
{
	copy_out(&stream, 5, 0, PAGE);
	sc_unprotected_add_stack(address(8 * PAGE), PAGE);
	assert_int_equal(rights(buffer), ALL);
	copy_out(&stream, 6, 0, PAGE);
	assert_int_equal(rights(buffer), ALL);
	assert_true(sc_unprotected_has_stack(address(8 * PAGE), 1));
	sc_unprotected_remove_stack(address(8 * PAGE));
	assert_false(sc_unprotected_has_stack(address(8 * PAGE), 1));
}

TEST(the_stack_in_use_is_touched)
{
	char here;

	assert_true(sc_unprotected_has_stack((uint64_t)&here - 4096, 8192));
}
