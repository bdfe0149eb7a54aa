/* Requests of MPI: which operation a handle stands for. */
#include "tests/unit/unit.h"
#include "interposer/core/put.h"
#include "extensions/agents/mpi/request.h"

static const char place[8]; /* addresses where a program keeps handles */

static void begin(uint64_t handle, const void *at, uint64_t sequence)
{
	sc_mpi_request_begun(handle, at, (struct sc_mpi_flight){.sequence = sequence});
}

/* The operation that is taken, or SC_NOT_WRITTEN. */
static uint64_t take(uint64_t handle, const void *at)
{
	struct sc_mpi_flight flight;

	return sc_mpi_request_take(handle, at, &flight, 1) ? flight.sequence : SC_NOT_WRITTEN;
}

TEST(one)
{
	begin(7, &place[0], 1);
	assert_int_equal(take(8, &place[0]), SC_NOT_WRITTEN);
	assert_int_equal(take(7, &place[1]), SC_NOT_WRITTEN); /* not there: ask for any */
	assert_int_equal(take(7, &place[0]), 1);
	assert_int_equal(take(7, &place[0]), SC_NOT_WRITTEN);
}

TEST(moved)
{
	begin(7, &place[0], 1);
	assert_int_equal(take(7, NULL), 1);
	assert_int_equal(take(7, NULL), SC_NOT_WRITTEN);
}

/* Libraries give one handle to operations that were complete at once. */
TEST(shared_handle)
{
	begin(7, &place[0], 1);
	begin(7, &place[1], 2);
	begin(7, &place[2], 3);
	assert_int_equal(take(7, &place[1]), 2);
	assert_int_equal(take(7, &place[0]), 1);
	assert_int_equal(take(7, NULL), 3);
}

/* The place was written over: the operation of before is nobody's any more. */
TEST(place_again)
{
	begin(7, &place[0], 1);
	begin(7, &place[0], 2);
	assert_int_equal(take(7, &place[0]), 2);
	assert_int_equal(take(7, &place[0]), 1);
}

static struct sc_mpi_accesses accesses(unsigned count)
{
	struct sc_mpi_accesses list = {.count = count};

	for (unsigned i = 0; i < count; i++)
		list.item[i] = (struct sc_access){.base = 4096 + i, .width = 1, .mode = SC_READ};
	return list;
}

TEST(persistent)
{
	struct sc_mpi_accesses list = accesses(20), kept;

	assert_false(sc_mpi_request_kept(9, &place[0], &kept, &(struct sc_mpi_messages){0}));
	sc_mpi_request_prepared(9, &place[0], &list, &(struct sc_mpi_messages){0});
	for (unsigned round = 0; round < 3; round++) {
		assert_true(sc_mpi_request_kept(9, &place[0], &kept, &(struct sc_mpi_messages){0}));
		assert_int_equal(kept.count, 20);
		assert_int_equal(kept.item[19].base, 4096 + 19);
		sc_mpi_request_started(9, &place[0], (struct sc_mpi_flight){.sequence = round});
		assert_false(sc_mpi_request_kept(
			9, &place[0], &kept, &(struct sc_mpi_messages){0})); /* it is in flight */
		assert_int_equal(take(9, &place[0]), round);
	}
	sc_mpi_request_freed(9, &place[0]);
	assert_false(sc_mpi_request_kept(9, &place[0], &kept, &(struct sc_mpi_messages){0}));
}

TEST(several_at_once)
{
	struct sc_mpi_flight flight[3];

	for (uint64_t i = 1; i <= 4; i++)
		begin(7, &place[0], i);
	begin(7, &place[1], 5);
	assert_int_equal(sc_mpi_request_take(7, &place[0], flight, 3), 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(flight[i].sequence, 4 - i);
	assert_int_equal(sc_mpi_request_take(7, NULL, flight, 3), 2);
	assert_int_equal(flight[0].sequence, 5);
	assert_int_equal(flight[1].sequence, 1);
	assert_int_equal(sc_mpi_request_take(7, NULL, flight, 3), 0);
}

/* What a call waits for: messages, other operations, and what is not known. */
TEST(look)
{
	const uint64_t handles[] = {21, 22, 23, 24};
	struct sc_mpi_looked looked;

	begin(21, &place[0], 1);
	for (uint64_t i = 1; i < 3; i++)
		sc_mpi_request_begun(
			handles[i], &place[i],
			(struct sc_mpi_flight){.sequence = 10 + i, .message = {11 + i}});
	looked = sc_mpi_request_look(handles, 4, &place[0], 1);
	assert_int_equal(looked.messages, 2);
	assert_int_equal(looked.others, 1);
	assert_int_equal(looked.first, 12);
	assert_int_equal(take(22, &place[1]), 11);
	looked = sc_mpi_request_look(handles, 4, &place[0], 1);
	assert_int_equal(looked.messages, 1);
	assert_int_equal(looked.first, 13);
	assert_int_equal(take(21, NULL), 1);
	assert_int_equal(take(23, NULL), 12);
}

/* The record of a request that could be started is used again for one that cannot. */
TEST(used_again)
{
	struct sc_mpi_accesses list = accesses(20), kept;

	sc_mpi_request_prepared(9, &place[0], &list, &(struct sc_mpi_messages){0});
	sc_mpi_request_freed(9, &place[0]);
	begin(9, &place[0], 3);
	assert_false(sc_mpi_request_kept(9, &place[0], &kept, &(struct sc_mpi_messages){0}));
	assert_int_equal(take(9, &place[0]), 3);
	assert_false(sc_mpi_request_kept(9, &place[0], &kept, &(struct sc_mpi_messages){0}));
	assert_int_equal(take(9, NULL), SC_NOT_WRITTEN);
}

TEST(many)
{
	for (uint64_t i = 1; i <= 5000; i++)
		begin(i, NULL, i);
	for (uint64_t i = 5000; i; i--)
		assert_int_equal(take(i, NULL), i);
	assert_int_equal(take(1, NULL), SC_NOT_WRITTEN);
}
