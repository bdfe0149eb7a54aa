/* The page guard: memory that operations of agents use, from their beginning to their end. */
#include "tests/unit/interposer/guard_fixture.h"
#include "interposer/core/windows.h"
#include "interposer/guard/hold.h"

EACH_TEST(set_up, tear_down)

static struct sc_access access_of(size_t offset, size_t bytes, uint8_t mode)
{
	return (struct sc_access){.base = (uint64_t)buffer + offset,
				  .width = bytes,
				  .rows = 1,
				  .slices = 1,
				  .mode = mode,
				  .known = SC_KNOWN_EXACT,
				  .memory = SC_MEM_PINNED};
}

static struct sc_guard_hold hold(uint64_t sequence, size_t offset, size_t bytes, uint8_t mode)
{
	struct sc_access a = access_of(offset, bytes, mode);

	return sc_guard_hold(&a, 1, sequence, true);
}

/* A function of libc writes there: true if that is worth an op. */
static bool writes(size_t offset, size_t bytes)
{
	return sc_guard_access(address(offset), bytes, true);
}

TEST(watched_until_its_end)
{
	struct sc_guard_hold h = hold(5, 100, 50, SC_READ);

	assert_false(sc_guard_access(address(100), 50, false));
	assert_true(writes(149, 1));
	assert_false(writes(150, 1));
	assert_int_equal(rights(buffer), ALL);
	sc_guard_release(h, 5);
	assert_false(writes(149, 1));
	assert_int_equal(sc_guard.live, 0);
	assert_int_equal(sc_guard.exemptions.used, 0);
}

TEST(a_call_that_blocks_is_not_watched)
{
	struct sc_access a = access_of(0, 8, SC_WRITE);
	struct sc_guard_hold h = sc_guard_hold(&a, 1, 5, false);

	assert_false(writes(0, 8));
	sc_guard_release(h, 5);
	assert_int_equal(sc_guard.exemptions.used, 0);
}

/* What a copy protects in the same page is open meanwhile, and protected again afterwards. */
TEST(pages_are_open_meanwhile)
{
	struct sc_guard_hold h;

	copy_out(&stream, 1, 2048, 64);
	assert_int_equal(rights(buffer), NOTHING);
	h = hold(5, 0, 64, SC_READ);
	assert_int_equal(rights(buffer), ALL);
	copy_out(&stream, 2, 2048 + 64, 64); /* while it lasts */
	assert_int_equal(rights(buffer), ALL);
	sc_guard_release(h, 5);
	assert_int_equal(rights(buffer), NOTHING);
}

/* All of them end with the operation, and no other one's. */
TEST(several_accesses)
{
	struct sc_access list[3] = {access_of(0, 8, SC_READ), access_of(64, 8, SC_WRITE),
				    access_of(2 * PAGE, 8, SC_WRITE)};
	struct sc_guard_hold h = sc_guard_hold(list, 3, 5, true), other_one;

	other_one = hold(6, 3 * PAGE, 8, SC_WRITE);
	assert_true(writes(0, 1));
	assert_true(writes(64, 1));
	assert_true(writes(2 * PAGE, 1));
	sc_guard_release(h, 5);
	assert_false(writes(0, 1));
	assert_false(writes(64, 1));
	assert_false(writes(2 * PAGE, 1));
	assert_true(writes(3 * PAGE, 1));
	sc_guard_release(other_one, 6);
	assert_int_equal(sc_guard.live, 0);
}

/* The memory ended in flight, and another operation has the place in the table. */
TEST(memory_that_ended)
{
	struct sc_guard_hold first = hold(5, 0, 64, SC_READ), second;

	assert_true(sc_guard_end(address(0), PAGE));
	second = hold(6, 0, 64, SC_READ);
	assert_int_equal(second.watchpoint, first.watchpoint);
	sc_guard_release(first, 5);
	assert_true(writes(0, 1));
	sc_guard_release(second, 6);
	assert_false(writes(0, 1));
}

/* What has ended is searched for no more, at the latest after some more ends. */
TEST(bounds)
{
	struct sc_guard_hold low = hold(1, 0, 8, SC_READ), high = hold(2, 2 * PAGE, 8, SC_READ);

	assert_true(sc_guard_near(&sc_guard, address(0), 8));
	sc_guard_release(low, 1);
	for (unsigned i = 0; i < 15; i++) {
		assert_true(sc_guard_near(&sc_guard, address(2 * PAGE), 8));
		sc_guard_release(hold(3 + i, PAGE, 8, SC_READ), 3 + i);
	}
	assert_false(sc_guard_near(&sc_guard, address(PAGE), 8));
	assert_true(sc_guard_near(&sc_guard, address(2 * PAGE), 8));
	sc_guard_release(high, 2);
	assert_false(sc_guard_near(&sc_guard, address(2 * PAGE), 8));
}

TEST(device_memory_is_nothing_to_the_host)
{
	struct sc_access a = access_of(0, 8, SC_WRITE);
	struct sc_guard_hold h;

	a.memory = SC_MEM_DEVICE;
	h = sc_guard_hold(&a, 1, 5, true);
	assert_int_equal(h.exemption, 0);
	assert_int_equal(h.watchpoint, 0);
	sc_guard_release(h, 5);
}

TEST(pageable_memory_and_no_guard)
{
	struct sc_access a = access_of(0, 8, SC_WRITE);
	struct sc_guard_hold h;

	a.memory = SC_MEM_PAGEABLE;
	sc_session.options.guard = SC_GUARD_OFF;
	h = sc_guard_hold(&a, 1, 5, true);
	assert_int_equal(h.exemption, 0);
	assert_true(writes(0, 1));
	sc_guard_release(h, 5);
	assert_false(writes(0, 1));
	a.memory = SC_MEM_PINNED;
	h = sc_guard_hold(&a, 1, 6, true);
	assert_int_equal(h.exemption, 0);
	assert_true(writes(0, 1));
	sc_guard_release(h, 6);
}

TEST(outside_of_windows)
{
	struct sc_guard_hold h;

	atomic_store(&sc_windows.is_closed, true);
	h = hold(5, 0, 8, SC_READ);
	atomic_store(&sc_windows.is_closed, false);
	assert_false(writes(0, 1));
	assert_int_equal(sc_guard.exemptions.used, 1);
	sc_guard_release(h, 5);
	assert_int_equal(sc_guard.exemptions.used, 0);
}
